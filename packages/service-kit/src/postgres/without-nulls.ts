type WithoutNulls<Row> = {
  [Name in keyof Row]: Exclude<Row[Name], null> | (null extends Row[Name] ? undefined : never);
};

/** Messages have no null: what a row has none of is unset. */
export const withoutNulls = <Row extends object>(row: Row): WithoutNulls<Row> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined])) as WithoutNulls<Row>;
