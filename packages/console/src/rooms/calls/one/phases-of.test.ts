import type { Call } from '../call-queries';
import { phasesOf } from './phases-of';

const at = (seconds: number) => new Date(seconds * 1_000).toISOString();
const entry = (seconds: number, message: string) => ({ at: at(seconds), kind: 'leg' as const, message, detail: null });
const call = (fields: Partial<Call>) =>
  ({ started_at: at(0), answered_at: null, ended_at: null, ...fields }) as unknown as Call;
const seconds = (phases: ReturnType<typeof phasesOf>) =>
  phases.map(({ name, from, to }) => [name, from / 1_000, to / 1_000]);

it('tells the phases of an answered call', () => {
  const entries = [entry(1, 'caller rings'), entry(3, 'caller picked up'), entry(4, 'destination rings')];
  expect(seconds(phasesOf(call({ answered_at: at(7), ended_at: at(20) }), entries, 99_000))).toEqual([
    ['caller', 0, 3],
    ['destination', 3, 7],
    ['talk', 7, 20],
  ]);
});

it('lets the phase that lasts end now', () => {
  expect(seconds(phasesOf(call({}), [entry(1, 'caller rings')], 5_000))).toEqual([['caller', 0, 5]]);
  expect(seconds(phasesOf(call({ answered_at: at(2) }), [], 5_000))).toEqual([
    ['destination', 0, 2],
    ['talk', 2, 5],
  ]);
});
