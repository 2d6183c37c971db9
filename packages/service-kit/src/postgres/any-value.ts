/**
 * SQL: a parameter whose value PostgreSQL does not look at when it plans. A prepared statement is then planned once for all values;
 * otherwise it is planned again and again for those that promise to be cheap, which with dozens of partitions costs more than the run.
 */
export const anyValue = (parameter: string, type: string): string => `(SELECT ${parameter}::${type})::${type}`;
