import type { CallStatus } from './call';
import { canMove } from './call-status';

const states: CallStatus[] = ['queued', 'ringing', 'answered', 'ended'];

test('a call moves forward only, and never leaves its end', () => {
  const moves = states.flatMap((from) => states.filter((to) => canMove(from, to)).map((to) => `${from} ${to}`));
  expect(moves).toEqual([
    'queued ringing',
    'queued answered',
    'queued ended',
    'ringing answered',
    'ringing ended',
    'answered ended',
  ]);
});
