/** Waits for a free place under the key; the result gives the place back. */
export type EnterPlace = (key: string) => Promise<() => void>;

/** Lets at most `most` run at a time under each key; the others wait in order of arrival. */
export function createConcurrencyLimit(most: number): EnterPlace {
  const places = new Map<string, { busy: number; waiting: (() => void)[] }>();
  return async (key) => {
    const place = places.get(key) ?? { busy: 0, waiting: [] };
    places.set(key, place);
    if (place.busy >= most) await new Promise<void>((resolve) => place.waiting.push(resolve));
    else place.busy += 1;
    return () => {
      // Handed over to the first in line, so that a later arrival cannot take the place in between.
      const next = place.waiting.shift();
      if (next !== undefined) next();
      else if ((place.busy -= 1) === 0) places.delete(key);
    };
  };
}
