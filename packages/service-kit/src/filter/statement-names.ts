import { isSwitchedOff } from '../plain-paths';

/**
 * Names under which statements built from a filter stay prepared. Only statements whose best plan does not depend on the
 * values get one. Every connection keeps what was prepared on it for its whole life, so no more than `maximum` are named; others run without.
 */
export function createStatementNames(prefix: string, maximum: number): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    if (isSwitchedOff('prepared-lists')) {
      return undefined;
    }
    const known = names.get(text);
    if (known !== undefined || names.size >= maximum) {
      return known;
    }
    const name = `${prefix}-${names.size + 1}`;
    names.set(text, name);
    return name;
  };
}
