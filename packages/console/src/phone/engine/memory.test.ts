import { pauseBefore } from './backoff';
import { createMemory } from './memory';
import { createSubject } from './observable';

test('what is remembered outlives the page, other tabs’ changes are kept, and other users see none of it', () => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => void stored.set(key, text),
  };
  createMemory(storage, 'ana').write({ lastDialled: '1001' });
  createMemory(storage, 'ana').write({ speakerId: 'x' });
  expect(createMemory(storage, 'ana').read()).toMatchObject({ lastDialled: '1001', speakerId: 'x', call: undefined });
  expect(createMemory(storage, 'bia').read().lastDialled).toBeUndefined();
  stored.set('sabia.phone.ana', 'not JSON');
  expect(createMemory(storage, 'ana').read().answersClickToCall).toBe(false);
});

test('listeners hear of changes only', () => {
  const subject = createSubject({ a: 1, b: 2 });
  const first = subject.get();
  let heard = 0;
  const leave = subject.subscribe(() => (heard += 1));
  subject.update({ a: 1 });
  expect(subject.get()).toBe(first);
  subject.update({ a: 3 });
  leave();
  subject.update({ a: 4 });
  expect([heard, subject.get()]).toEqual([1, { a: 4, b: 2 }]);
});

test('the pauses between attempts grow to a limit, and differ from phone to phone', () => {
  expect([1, 2, 3, 10].map((attempt) => pauseBefore(attempt, () => 1))).toEqual([500, 1000, 2000, 15000]);
  expect(pauseBefore(3, () => 0)).toBe(1000);
});
