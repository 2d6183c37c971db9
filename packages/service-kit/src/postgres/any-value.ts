/**
 * SQL: a parameter whose value PostgreSQL does not look at when it plans. A prepared statement is then planned once for all values;
 * otherwise it is planned again and again for those that promise to be cheap, which with dozens of partitions costs more than the run.
 */
export const anyValue = (parameter: string, type: string): string => `(SELECT ${parameter}::${type})::${type}`;

/**
 * SQL: the id is one of those in the parameter. A statement that joins a table with rows of arrays says so besides: of a table, or a
 * month of it, that was small when it planned, PostgreSQL might otherwise read all, for as long as the statement stays prepared.
 */
export const isAmong = (id: string, parameter: string): string => `${id} = ANY (${anyValue(parameter, 'uuid[]')})`;

/**
 * SQL: the column has this value, which is looked at when the row has been found by another one. With `=` PostgreSQL may enter an index
 * that begins with the column, while the table is small, and later reads all of that value there.
 */
export const hasAlso = (column: string, value: string): string => `${column} IS NOT DISTINCT FROM ${value}`;
