/** Arrays as PostgreSQL reads them: the driver's own writing of them takes longer than the whole POST. */

/** For what needs no quotes: uuids, numbers, times. */
export const plainArray = (values: readonly (string | number | null)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join(',')}}`;

export const textArray = (values: readonly (string | null)[]): string =>
  `{${values.map((value) => (value === null ? 'NULL' : `"${value.replace(/["\\]/g, '\\$&')}"`)).join(',')}}`;
