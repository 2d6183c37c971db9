/** A value that tells its listeners of every change; fits React's useSyncExternalStore. */
export interface Observable<Value> {
  get: () => Value;
  subscribe: (listener: () => void) => () => void;
}

export interface Subject<Value extends object> extends Observable<Value> {
  /** Replaces the value by a copy with the changes, unless they change nothing. */
  update: (changes: Partial<Value>) => void;
}

export function createSubject<Value extends object>(initial: Value): Subject<Value> {
  const listeners = new Set<() => void>();
  let value = initial;
  return {
    get: () => value,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    update(changes) {
      const keys = Object.keys(changes) as (keyof Value)[];
      if (keys.every((key) => Object.is(value[key], changes[key]))) return;
      value = { ...value, ...changes };
      for (const listener of [...listeners]) listener();
    },
  };
}
