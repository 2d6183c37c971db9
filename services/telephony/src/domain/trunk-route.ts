import type { Trunk } from './trunk';

/** Finds the trunks that serve a destination, in the order in which they are tried. */
export type RouteTo = (digits: string) => Trunk[];

/**
 * By priority, then the cheapest first. A trunk without a cost comes after those with one; what is equal stays in the order of the
 * configuration. Prefixes are looked up, as a carrier may have thousands.
 */
export function createRoutes(trunks: readonly Trunk[]): RouteTo {
  const tables = trunks.map((trunk) => ({ trunk, costs: costsOf(trunk) }));
  return (digits) =>
    tables
      .flatMap(({ trunk, costs }) => {
        const prefix = longestPrefix(costs, digits);
        return prefix === undefined ? [] : [{ trunk, cost: costs.get(prefix) ?? Infinity }];
      })
      .sort((one, other) => priorityOf(one.trunk) - priorityOf(other.trunk) || compare(one.cost, other.cost))
      .map(({ trunk }) => trunk);
}

type Costs = ReadonlyMap<string, number | undefined>;

const costsOf = ({ routes = [{ prefix: '' }] }: Trunk): Costs =>
  new Map(routes.map(({ prefix, costPerMinute }) => [prefix, costPerMinute]));

/** It has the price of the destination. Undefined: the trunk does not serve it. */
function longestPrefix(costs: Costs, digits: string): string | undefined {
  for (let length = digits.length; length >= 0; length -= 1) {
    const prefix = digits.slice(0, length);
    if (costs.has(prefix)) return prefix;
  }
  return undefined;
}

const priorityOf = ({ priority = 0 }: Trunk): number => priority;

/** Two unknown costs are equal, though Infinity minus itself is not a number. */
const compare = (one: number, other: number): number => (one === other ? 0 : one - other);
