import { createLogger } from '@sabia/service-kit/logging';
import type { Legs } from './leg-book';
import { createProofKeys } from './proof-keys';
import type { CodeVerdict } from './proof-keys';

function open(verdict: () => Promise<CodeVerdict>) {
  const tried: string[] = [];
  const played: string[] = [];
  const notes: string[] = [];
  let time = 0;
  const keys = createProofKeys({
    ari: { playOnBridge: async (_bridge, { media }) => void played.push(media) },
    book: { holds: () => true },
    steps: { note: (_legs, message) => void notes.push(message), finish: async () => undefined },
    guard: { guarded: (_legs, work) => work() },
    tryCode: async (_callId, code) => {
      tried.push(code);
      return verdict();
    },
    log: createLogger({ name: 'test', level: 'silent' }),
    now: () => new Date(time),
  });
  const legs = { call: { id: 'call' } } as Legs;
  return {
    tried,
    played,
    notes,
    wait: (ms: number) => void (time += ms),
    press: async (text: string) => {
      for (const key of text) await keys.press(legs, key);
    },
  };
}

test('six digits are a code; star and hash begin it anew', async () => {
  const { tried, press } = open(async () => 'wrong');
  await press('12345');
  await press('*482');
  await press('913#');
  expect(tried).toEqual(['482913']);
  await press('000000111111');
  expect(tried).toEqual(['482913', '000000', '111111']);
});

test('a code whose key was lost does not spoil the next one', async () => {
  const { tried, press, wait } = open(async () => 'wrong');
  await press('48291');
  wait(4_001);
  await press('482');
  wait(3_999);
  await press('913');
  expect(tried).toEqual(['482913']);
});

test('a code that cannot be checked may be keyed in again, and is no try', async () => {
  const { played, notes, press } = open(() => Promise.reject(new Error('away')));
  await press('482913');
  expect(played).toEqual(['sound:beeperr']);
  expect(notes).toEqual([]);
});
