import type { LiveCall } from '../../domain/live-call';
import type { Clock } from './clock';
import type { SwitchEvent } from '../port';
import { createSimulatedSwitch } from './switch';

const begin = 1_700_000_000_000;
const at = (milliseconds: number) => new Date(begin + milliseconds);

function fakeClock(): Clock & { advance(milliseconds: number): void } {
  let time = begin;
  let timers: { due: number; action: () => void }[] = [];
  return {
    now: () => new Date(time),
    after(milliseconds, action) {
      const timer = { due: time + Math.max(0, milliseconds), action };
      timers.push(timer);
      return () => void (timers = timers.filter((other) => other !== timer));
    },
    advance(milliseconds) {
      const end = time + milliseconds;
      for (;;) {
        const next = timers.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0];
        if (next === undefined) break;
        timers = timers.filter((other) => other !== next);
        time = Math.max(time, next.due);
        next.action();
      }
      time = end;
    },
  };
}

async function stage() {
  const clock = fakeClock();
  const events: SwitchEvent[] = [];
  const simulated = createSimulatedSwitch({ clock });
  await simulated.start({
    isEntitled: () => true,
    term: { switchName: 'simulated', term: 1 },
    onEvent: (event) => events.push(event),
    onIncoming: () => undefined,
    onCallerGone: () => undefined,
    onConnected: () => undefined,
    onLost: () => undefined,
    onAbsent: () => undefined,
  });
  const call = (to: string, known: Partial<LiveCall> = {}) =>
    ({ id: 'call', to, startedAt: at(0), placedAt: at(0), answeredAt: null, ...known }) as LiveCall;
  const told = () =>
    events.map((event) => {
      const since = 'at' in event ? event.at.getTime() - begin : '';
      return `${event.kind} ${since}${event.kind === 'ended' ? ` ${event.cause}` : ''}`;
    });
  return { clock, simulated, call, told };
}

test.each([
  ['551155500101', ['ringing 0', 'answered 50']],
  ['551155500102', ['ringing 0', 'answered 3000']],
  ['551155500103', ['ringing 0', 'ended 1000 USER_BUSY']],
  ['551155500104', ['ringing 0', 'ended 60000 NO_ANSWER']],
  ['551155500105', ['ringing 0', 'ended 50 UNALLOCATED_NUMBER']],
  ['551155500106', ['ringing 0', 'ended 1000 CALL_REJECTED']],
  ['551155500107', ['ringing 0', 'ended 50 NORMAL_CIRCUIT_CONGESTION']],
  ['551155500207', ['ringing 0', 'answered 50', 'ended 7050 NORMAL_CLEARING']],
  ['5511988887777', ['ringing 0', 'answered 50', 'ended 10050 NORMAL_CLEARING']],
])('%s', async (number, expected) => {
  const { clock, simulated, call, told } = await stage();
  await simulated.place(call(number));
  clock.advance(120_000);
  expect(told()).toEqual(expected);
});

test('a call that is hung up does nothing more', async () => {
  const { clock, simulated, call, told } = await stage();
  await simulated.place(call('551155500207'));
  clock.advance(1_000);
  await simulated.hangUp(call('551155500207'), 'NORMAL_CLEARING');
  clock.advance(60_000);
  expect(told()).toEqual(['ringing 0', 'answered 50', 'ended 1000 NORMAL_CLEARING']);
});

test('a warning only adds to the timeline', async () => {
  const { clock, simulated, call, told } = await stage();
  await simulated.place(call('551155500101'));
  clock.advance(1_000);
  await simulated.warn(call('551155500101'));
  expect(told()).toEqual(['ringing 0', 'answered 50', 'leg 1000']);
});

test('another process continues where one has stopped, including what was due in between', async () => {
  const { clock, simulated, call, told } = await stage();
  clock.advance(30_000);
  await simulated.reconcile([call('551155500207', { answeredAt: at(50) })]);
  clock.advance(1);
  expect(told()).toEqual(['ended 7050 NORMAL_CLEARING']);
});

test('a call that was never placed is not resumed', async () => {
  const { clock, simulated, call, told } = await stage();
  await simulated.reconcile([call('551155500101', { placedAt: null })]);
  clock.advance(60_000);
  expect(told()).toEqual([]);
});
