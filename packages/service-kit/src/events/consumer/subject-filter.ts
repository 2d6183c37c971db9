import { eventSubject } from '../nats/topology';

/** Whether a type is one of those asked for; `*` stands for any one word. */
export function createTypeFilter(types: string[]): (type: string) => boolean {
  const exact = new Set(types.filter((type) => !type.includes('*')));
  const patterns = types.filter((type) => type.includes('*')).map((type) => type.split('.'));
  return (type) => {
    if (exact.has(type)) {
      return true;
    }
    const words = type.split('.');
    return patterns.some(
      (pattern) =>
        pattern.length === words.length && pattern.every((word, index) => word === '*' || word === words[index]),
    );
  };
}

/** One subject that covers them all, for servers before NATS 2.10, whose consumers take a single filter. */
export function coveringSubject(types: string[]): string {
  const [first = [], ...others] = types.map((type) => type.split('.'));
  return eventSubject(
    first.map((word, index) => (others.every((words) => words[index] === word) ? word : '*')).join('.'),
  );
}
