import { createMessageBook } from './message-book';
import type { MessageBook } from './message-book';

let time = 0;
let book: MessageBook;
beforeEach(() => {
  time = 0;
  book = createMessageBook({ now: () => time });
});

const message = (at: number) => ({ at, method: 'INVITE', cseq: '1 INVITE', tag: 't' });
const leg = { sipCallId: 'x', callId: 'call-1', leg: 'a', gone: false };

test('messages that came before and after it is known whose they are are written together, once it is quiet', () => {
  book.add('x', message(1));
  expect(book.take()).toEqual([]);
  book.join(leg);
  book.add('x', message(2));
  time = 900;
  expect(book.take()).toEqual([]);
  time = 1_000;
  expect(book.take()).toEqual([{ callId: 'call-1', leg: 'a', messages: [message(1), message(2)] }]);
  expect(book.take({ all: true })).toEqual([]);
});

test('a leg that is never quiet is written all the same, and what comes later too', () => {
  book.join(leg);
  for (time = 0; time < 2_000; time += 100) book.add('x', message(time));
  expect(book.take()[0]?.messages).toHaveLength(20);
  book.join({ ...leg, gone: true });
  book.add('x', message(time));
  expect(book.take({ all: true })[0]?.messages).toHaveLength(1);
  time += 40_000;
  book.take();
  book.add('x', message(time));
  expect(book.take({ all: true })).toEqual([]);
});

test('dialogues of strangers are forgotten, and cannot push out those of calls', () => {
  book.join({ ...leg, sipCallId: 'ours' });
  book.add('ours', message(0));
  for (let nth = 0; nth < 6_000; nth += 1) book.add(`stranger-${nth}`, message(nth));
  book.join({ ...leg, sipCallId: 'stranger-0' });
  book.join({ ...leg, sipCallId: 'stranger-5999', leg: 'b0' });
  expect(book.take({ all: true }).map(({ leg: name }) => name)).toEqual(['a', 'b0']);
  time = 10_000;
  book.take();
  book.join({ ...leg, sipCallId: 'stranger-5998' });
  expect(book.take({ all: true })).toEqual([]);
});

test('one dialogue has its limit', () => {
  book.join(leg);
  for (let nth = 0; nth < 1_000; nth += 1) book.add('x', message(nth));
  expect(book.take({ all: true })[0]?.messages).toHaveLength(200);
});

/** All that the book holds of these dialogues. */
const held = (sipCallIds: string[]): number[] => {
  sipCallIds.forEach((sipCallId) => book.join({ ...leg, sipCallId }));
  return book.take({ all: true }).map(({ messages }) => messages.length);
};
const sum = (numbers: number[]): number => numbers.reduce((one, other) => one + other, 0);

test('strangers have their limit, each and all together; the oldest makes room', () => {
  const names = Array.from({ length: 2_000 }, (_, nth) => `stranger-${nth}`);
  for (const name of names) for (let nth = 0; nth < 30; nth += 1) book.add(name, message(nth));
  expect(held(names.slice(-1))).toEqual([20]);
  expect(sum(held(names.slice(0, 500)))).toBe(0);
  expect(sum(held(names))).toBe(20_000 - 20);
  // What was taken or forgotten makes room for others.
  for (const name of ['x', 'y']) book.add(name, message(1));
  expect(held(['x', 'y'])).toEqual([1, 1]);
});

test('legs that cannot be written have their limit all together', () => {
  const names = Array.from({ length: 400 }, (_, nth) => `leg-${nth}`);
  const fill = () => names.forEach((name) => Array.from({ length: 150 }, (_, nth) => book.add(name, message(nth))));
  held(names);
  fill();
  expect(sum(held(names))).toBe(50_000);
  fill();
  expect(sum(held(names))).toBeGreaterThan(0);
});
