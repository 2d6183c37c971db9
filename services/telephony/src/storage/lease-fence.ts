/** The time for which a replica holds the lease of a switch. */
export interface LeaseTerm {
  switchName: string;
  term: number;
}

/** SQL: the lease still has this term, so that no other replica has taken it since. Both are parameters or columns. */
export const isTermOf = (switchName: string, term: string): string =>
  `EXISTS (SELECT FROM switch_leases AS lease WHERE lease.switch = ${switchName} AND lease.term = ${term})`;
