import fc from 'fast-check';
import type { Trunk } from './trunk';
import { letOut, lineOf, nextRoomInMs } from './waiting-line';
import type { WaitingCall } from './waiting-line';

const trunk = (name: string, limits: Partial<Trunk> = {}): Trunk => ({ name, format: 'e164', ...limits });
const call = (id: string, turn: number, trunks: Trunk[]): WaitingCall => ({
  id,
  turn,
  trunks,
  line: lineOf(trunks) ?? '',
});
const use = (name: string, calls: number, nextInMs = 0) => ({ name, calls, nextInMs });
const shown = (leaving: ReturnType<typeof letOut>) => leaving.map(({ call: { id }, trunk }) => `${id} ${trunk?.name}`);

test('only calls whose first carrier has limits wait', () => {
  expect(lineOf([trunk('a', { maximumCalls: 1 }), trunk('b')])).toBe('a,b');
  expect(lineOf([trunk('a'), trunk('b', { callsPerSecond: 1 })])).toBeUndefined();
  expect(lineOf([])).toBeUndefined();
});

test('the preferred carrier is used while it has room, then the next one', () => {
  const cheap = trunk('cheap', { maximumCalls: 2 });
  const dear = trunk('dear', { maximumCalls: 1 });
  const line = ['1', '2', '3', '4'].map((id) => call(id, Number(id), [cheap, dear]));
  expect(shown(letOut([line], [use('cheap', 1), use('dear', 0)]))).toEqual(['1 cheap', '2 dear']);
});

test('a line whose carriers are full does not keep others waiting', () => {
  const [full, open] = [trunk('full', { maximumCalls: 1 }), trunk('open', { maximumCalls: 1 })];
  const lines = [[call('1', 1, [full])], [call('2', 9, [open])]];
  expect(shown(letOut(lines, [use('full', 1), use('open', 0)]))).toEqual(['2 open']);
});

test('a carrier with calls per second is served a quarter of a second ahead', () => {
  const paced = trunk('paced', { callsPerSecond: 10 });
  const line = Array.from({ length: 9 }, (_, index) => call(String(index), index, [paced]));
  expect(letOut([line], [use('paced', 0, -5_000)])).toHaveLength(3);
  expect(letOut([line], [use('paced', 0, 300)])).toHaveLength(0);
  expect(nextRoomInMs([line], [use('paced', 0, 300)])).toBe(50);
  expect(nextRoomInMs([[call('1', 1, [trunk('full', { maximumCalls: 1 })])]], [use('full', 1)])).toBeUndefined();
});

test('a call to which no carrier leads any more leaves the line, for its driver to end it', () => {
  expect(shown(letOut([[call('1', 1, [])]], []))).toEqual(['1 undefined']);
});

const anyLines = fc
  .record({
    limits: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
    calls: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 3, maxLength: 3 }),
    waiting: fc.array(fc.record({ turn: fc.nat(20), route: fc.subarray([0, 1, 2], { minLength: 1 }) }), {
      maxLength: 20,
    }),
  })
  .map(({ limits, calls, waiting }) => {
    const trunks = limits.map((maximumCalls, index) => trunk(`t${index}`, { maximumCalls }));
    const uses = trunks.map(({ name, maximumCalls = 0 }, index) => use(name, Math.min(calls[index]!, maximumCalls)));
    const lines = new Map<string, WaitingCall[]>();
    waiting
      .map(({ turn, route }, index) =>
        call(
          String(index).padStart(3, '0'),
          turn,
          route.flatMap((nth) => trunks[nth] ?? []),
        ),
      )
      .filter((each) => each.trunks.length > 0)
      .sort((one, other) => one.turn - other.turn || (one.id < other.id ? -1 : 1))
      .forEach((each) => lines.set(each.line, [...(lines.get(each.line) ?? []), each]));
    return { trunks, uses, lines: [...lines.values()] };
  });

test('no limit is exceeded, no room is left unused, and nobody goes before a lower turn of the same line', () => {
  fc.assert(
    fc.property(anyLines, ({ trunks, uses, lines }) => {
      const leaving = letOut(lines, uses);
      const after = new Map(uses.map(({ name, calls }) => [name, calls]));
      leaving.forEach(({ trunk: to }) => after.set(to!.name, after.get(to!.name)! + 1));
      trunks.forEach(({ name, maximumCalls }) => expect(after.get(name)).toBeLessThanOrEqual(maximumCalls!));
      const gone = new Set(leaving.map(({ call: { id } }) => id));
      for (const line of lines) {
        const left = line.filter(({ id }) => !gone.has(id));
        expect(line.slice(0, line.length - left.length).every(({ id }) => gone.has(id))).toBe(true);
        const isFull = left[0]?.trunks.every(({ name, maximumCalls }) => after.get(name) === maximumCalls);
        expect(left.length === 0 || isFull).toBe(true);
      }
    }),
  );
});
