import { createOutbox } from '@sabia/service-kit/events/outbox';
import { createLogger } from '@sabia/service-kit/logging';
import { eventually } from '@sabia/testkit/eventually';
import { createCallProgress } from '../src/driving/call-progress';
import { createLegEventCleaner } from '../src/switch/asterisk/leg-event-cleaner';
import { listLegEvents } from '../src/storage/leg-events';
import { findLive } from '../src/storage/live-calls';
import { noteSighting } from '../src/storage/switch-sightings';
import { lineUpAgain } from '../src/storage/waiting-calls';
import { createHistory } from '../src/switch/asterisk/call-history';
import type { LiveCall } from '../src/domain/live-call';
import type { CallHistory, SwitchEvent } from '../src/switch/port';
import { createSimulatedSwitch } from '../src/switch/simulated/switch';
import { newAccount, numbers, openStage } from './stage';
import type { Replica, Stage } from './stage';
import { openTalking, policy } from './support/driven-call';
import type { DrivenSwitch, Talking } from './support/driven-call';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(async () => {
  await stage?.close();
});

test('repeated, late and unordered events change nothing', async () => {
  // No replica drives, so that only the events of the test happen.
  const replica = await stage.start({ leaseSeconds: 300 });
  await eventually(async () => (await stage.sql.query('SELECT FROM switch_leases')).length === 1);
  await replica.stop();
  await stage.holdSwitch();
  const idle = await stage.start();
  try {
    const telephony = idle.as(newAccount(stage));
    const { id: callId } = await telephony.placeCall({ extension: '1000', called: numbers.answer });
    const progress = createCallProgress({
      database: stage.sql,
      outbox: createOutbox({ poke: () => undefined }),
      plane: createSimulatedSwitch(),
      onLinedUp: () => undefined,
      policy: {
        ringSeconds: 45,
        maximumSeconds: 3600,
        extendSeconds: 60,
        extendLeadSeconds: 10,
        warningSeconds: 0,
        hangupSeconds: 5,
      },
      metrics: { answered: () => undefined, ended: () => undefined },
      urls: { urlOf: (id) => id },
      now: () => new Date(),
    });
    const at = (seconds: number) => new Date(Date.now() + seconds * 1000);
    const answered: SwitchEvent = { kind: 'answered', callId, at: at(1) };
    const ended: SwitchEvent = { kind: 'ended', callId, at: at(8), cause: 'NORMAL_CLEARING' };
    await Promise.all([answered, answered, answered].map((event) => progress.apply(event)));
    await progress.apply({ kind: 'ringing', callId, at: at(2) });
    expect((await telephony.getCall({ id: callId })).call!.status).toBe('answered');
    await Promise.all(Array.from({ length: 8 }, () => progress.apply(ended)));
    const { call: final } = await telephony.getCall({ id: callId });
    expect(final).toMatchObject({ status: 'ended', duration: 7, hangup_cause: 'NORMAL_CLEARING' });
    await progress.apply({ kind: 'ended', callId, at: at(20), cause: 'USER_BUSY' });
    await progress.apply({ kind: 'answered', callId, at: at(20) });
    expect((await telephony.getCall({ id: callId })).call).toEqual(final);
    expect(await stage.eventTypesOf(callId)).toEqual(['created', 'answered', 'ended']);
  } finally {
    await stage.sql.query('DELETE FROM switch_leases');
    await idle.stop();
  }
});

describe('a call that is to end', () => {
  let idle: Replica;

  beforeAll(async () => {
    await stage.holdSwitch();
    idle = await stage.start();
  });

  afterAll(async () => {
    await idle?.stop();
    await stage.sql.query('DELETE FROM switch_leases');
    await stage.sql.query('DELETE FROM live_calls');
  });

  const termOf = async () => {
    const [lease] = await stage.sql.query<{ term: number }>('SELECT term FROM switch_leases');
    return { switchName: 'simulated', term: lease!.term };
  };

  const talking = (switched: DrivenSwitch = {}) => openTalking(stage, idle, switched);

  test('ends with its own cause and time, however many end at that moment', async () => {
    const calls = await Promise.all(Array.from({ length: 6 }, () => talking({})));
    const [{ progress }, asked, over] = calls as [Talking, Talking, Talking];
    await asked.telephony.hangUp({ id: asked.id });
    const midnight = new Date().setUTCHours(24, 0, 0, 0);
    const endOf = ({ id }: Talking, index: number): SwitchEvent => ({
      ...{ kind: 'ended', callId: id, cause: 'NETWORK_OUT_OF_ORDER' },
      at: new Date(midnight + index * 1000),
    });
    await progress.apply({ ...endOf(over, 30), cause: 'USER_BUSY' } as SwitchEvent);
    await Promise.all(calls.map((call, index) => progress.apply(endOf(call, index))));
    const found = await Promise.all(calls.map(async ({ telephony, id }) => (await telephony.getCall({ id })).call!));
    expect(found.map(({ hangup_cause, ended_at }) => `${hangup_cause} ${ended_at!.getUTCSeconds()}`)).toEqual([
      'NETWORK_OUT_OF_ORDER 0',
      'NORMAL_CLEARING 1',
      'USER_BUSY 30',
      'NETWORK_OUT_OF_ORDER 3',
      'NETWORK_OUT_OF_ORDER 4',
      'NETWORK_OUT_OF_ORDER 5',
    ]);
    for (const { id } of calls) {
      expect(await stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
    }
  });

  /** A ringing call and the history that its switch has of it. */
  async function ringing(history: CallHistory = {}, now?: () => Date) {
    const telephony = idle.as(newAccount(stage));
    const { id } = await telephony.placeCall({ extension: '1000', called: numbers.answer });
    const { startedAt } = (await findLive(stage.sql, [id]))[0]!;
    const at = (seconds: number) => new Date(startedAt.getTime() + seconds * 1000);
    const progress = createCallProgress({
      ...{ database: stage.sql, outbox: createOutbox({ poke: () => undefined }), policy, now: now ?? (() => at(3600)) },
      plane: { ...createSimulatedSwitch(), historyOf: async () => history },
      onLinedUp: () => undefined,
      metrics: { answered: () => undefined, ended: () => undefined },
      urls: { urlOf: (callId) => callId },
    });
    const record = async () => (await telephony.getCall({ id })).call!;
    return { telephony, id, at, progress, record };
  }

  test('cancelled at the moment of its answer: the first event counts, in the record and in the events', async () => {
    const first = await ringing();
    await first.telephony.hangUp({ id: first.id });
    await first.progress.apply({ kind: 'answered', callId: first.id, at: first.at(1) });
    await first.progress.apply({ kind: 'ended', callId: first.id, at: first.at(2), cause: 'ORIGINATOR_CANCEL' });
    expect(await first.record()).toMatchObject({ hangup_cause: 'NORMAL_CLEARING', duration: 1 });
    const [, answered, ended] = await stage.eventsOf(first.id);
    expect(answered!.type).toBe('telephony.call.answered');
    expect(ended!.call).toMatchObject({ hangupCause: 'NORMAL_CLEARING', hangupCauseCode: '16', durationSeconds: 1 });

    const second = await ringing();
    await second.telephony.hangUp({ id: second.id });
    await second.progress.apply({ kind: 'ended', callId: second.id, at: second.at(1), cause: 'ORIGINATOR_CANCEL' });
    await second.progress.apply({ kind: 'answered', callId: second.id, at: second.at(1) });
    const { hangup_cause, answered_at, duration } = await second.record();
    expect({ hangup_cause, answered_at, duration }).toEqual({ hangup_cause: 'ORIGINATOR_CANCEL', duration: 0 });
    expect(await stage.eventTypesOf(second.id)).toEqual(['created', 'ended']);
  });

  test('cut by the switch when its talking time is used up, or hung up a moment before', async () => {
    const [cut, early] = [await ringing(), await ringing()];
    for (const { progress, id: callId, at } of [cut, early]) {
      await progress.apply({ kind: 'answered', callId, at: at(10) });
    }
    await cut.progress.apply({ kind: 'ended', callId: cut.id, at: cut.at(71.5), cause: 'NORMAL_CLEARING' });
    await early.progress.apply({ kind: 'ended', callId: early.id, at: early.at(69), cause: 'NORMAL_CLEARING' });
    expect(await cut.record()).toMatchObject({ hangup_cause: 'ALLOTTED_TIMEOUT', duration: 60 });
    expect(await early.record()).toMatchObject({ hangup_cause: 'NORMAL_CLEARING', duration: 59 });
  });

  test('ended while no replica listened: as the switch has logged it, whatever was requested afterwards', async () => {
    const history: CallHistory = {};
    const { telephony, id, at, progress, record } = await ringing(history);
    // The request to hang up comes a minute after the end.
    await stage.sql.query(`UPDATE calls SET started_at = started_at - interval '100 s' WHERE id = $1`, [id]);
    await telephony.hangUp({ id });
    history.answeredAt = at(-90);
    history.end = { at: at(-60), cause: 'RECOVERY_ON_TIMER_EXPIRE' };
    const [call] = await findLive(stage.sql, [id]);
    await progress.apply({ kind: 'gone', callId: id, call: call!, cause: 'NETWORK_OUT_OF_ORDER' });
    expect(await record()).toMatchObject({ hangup_cause: 'RECOVERY_ON_TIMER_EXPIRE', duration: 30 });
    expect(await stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
  });

  test('a ringing leg was cancelled: that is the end, unless telephony has told the edges to do so', async () => {
    const end = { at: new Date(), cause: 'NORMAL_UNSPECIFIED' as const };
    const lost = async () => {
      const call = await ringing({ end, wasCancelled: true }, () => new Date());
      await stage.sql.query('INSERT INTO sip.lost_calls (call_id) VALUES ($1)', [call.id]);
      return call;
    };
    const live = async ({ id }: { id: string }) => (await findLive(stage.sql, [id]))[0]!;
    const goneOf = (call: LiveCall): SwitchEvent => ({
      ...{ kind: 'gone', callId: call.id, call, cause: 'NETWORK_OUT_OF_ORDER' },
    });
    const [ours, withCaller, carriers] = [await lost(), await lost(), await ringing({ end, wasCancelled: true })];
    const [first, second] = [await live(ours), await live(withCaller)];
    await Promise.all([
      ours.progress.apply(goneOf(first)),
      // The caller's leg is still there.
      withCaller.progress.apply({ ...goneOf(second), left: `${second.id}-a` } as SwitchEvent),
      carriers.progress.apply(goneOf(await live(carriers))),
    ]);
    expect(await live(ours)).toMatchObject({ status: 'queued', attempt: 100 });
    expect(await live(withCaller)).toMatchObject({ status: 'queued', attempt: 100 });
    expect(await carriers.record()).toMatchObject({ status: 'ended', hangup_cause: 'NORMAL_UNSPECIFIED' });
    // The same report, late: the call is on the same switch again.
    await eventually(async () => (await live(ours)).switchName === first.switchName);
    await ours.progress.apply(goneOf(first), await termOf());
    // Nor does whoever was about to line it up at that moment.
    const placing = { callId: ours.id, placing: 0, from: first.switchName!, at: new Date() };
    expect(await lineUpAgain(stage.sql, placing)).toBe(false);
    expect(await live(ours)).toMatchObject({ status: 'queued', attempt: 100 });
    await stage.sql.query('DELETE FROM live_calls WHERE call_id = ANY ($1::uuid[])', [[ours.id, withCaller.id]]);
  });

  test('ended while no replica listened, without a log: it ended when its switch was last seen', async () => {
    const { id, at, progress, record } = await ringing();
    await progress.apply({ kind: 'answered', callId: id, at: at(1) });
    await noteSighting(stage.sql, 'simulated', at(21));
    const [call] = await findLive(stage.sql, [id]);
    await progress.apply({ kind: 'gone', callId: id, call: call!, cause: 'NETWORK_OUT_OF_ORDER' });
    expect(await record()).toMatchObject({ hangup_cause: 'NETWORK_OUT_OF_ORDER', duration: 20 });
    // Whoever is called to take a leg over does not ring any longer, nor because a node wakes up.
    expect(await stage.sql.query('SELECT placed_before FROM sip.lost_calls WHERE call_id = $1', [id])).toEqual([
      { placed_before: -1 },
    ]);
    await stage.sql.query('DELETE FROM switch_sightings');
  });

  test('ended while no replica listened, and the table of the log is missing: it ends, and a warning is logged once', async () => {
    const lines: string[] = [];
    const log = createLogger({ name: 'test', level: 'info', destination: { write: (line) => void lines.push(line) } });
    const { read } = createHistory({ database: stage.sql, log, now: () => new Date() });
    const { id } = await ringing();
    const [call] = await findLive(stage.sql, [id]);
    await stage.admin.query('ALTER TABLE sip.leg_events RENAME TO missing');
    try {
      expect([await read(call!), await read(call!)]).toEqual([{}, {}]);
    } finally {
      await stage.admin.query('ALTER TABLE sip.missing RENAME TO leg_events');
    }
    expect(lines).toEqual([expect.stringContaining('there is no table sip.leg_events')]);
    expect(await read(call!)).toEqual({});
  });

  test('the log of its switch is kept until it has ended, that of other calls for ten minutes', async () => {
    const { id } = await ringing();
    const [known, live, old] = ['01890000-0000-7000-8000-000000000001-b0', `${id}-b0`, '1700000000.1'];
    const hourAgo = Date.now() / 1000 - 3600;
    await stage.admin.query(
      `INSERT INTO sip.leg_events (uniqueid, eventtype, eventtime, extra)
       VALUES ($1, 'HANGUP', $4, ''), ($2, 'HANGUP', $5, '{"hangupcause":17}'), ($3, 'HANGUP', $5, '')`,
      [known, live, old, Date.now() / 1000, hourAgo],
    );
    await createLegEventCleaner({ database: stage.sql, now: () => new Date() })();
    const events = await listLegEvents(stage.sql, [known, live, old]);
    expect(events.map(({ leg, cause }) => [leg, cause])).toEqual([
      [live, 17],
      [known, null],
    ]);
    expect(events[0]!.at.getTime()).toBeCloseTo(hourAgo * 1000, -1);
  });

  test('is ended on the switch, too, when it was not looked at in time', async () => {
    const { telephony, id, told, duties, status } = await talking({ hangUp: () => Promise.reject(new Error('away')) });
    await telephony.hangUp({ id });
    await stage.sql.query(`UPDATE live_calls SET requested_at = now() - interval '61 s' WHERE call_id = $1`, [id]);
    await duties.see(id);
    expect(told).toEqual([id]);
    expect(await status()).toBe('ended');
  });

  test('is looked at again soon when the switch could not be reached', async () => {
    const { telephony, id, duties, status } = await talking({ hangUp: () => Promise.reject(new Error('away')) });
    await telephony.hangUp({ id });
    await duties.see(id);
    expect(await status()).toBe('answered');
    const [row] = await stage.sql.query<{ ms: number }>(
      `SELECT (1000 * extract(epoch FROM due_at - requested_at))::int AS ms FROM live_calls WHERE call_id = $1`,
      [id],
    );
    expect(row!.ms).toBeLessThan(30_000);
  });

  test('is due at once, even if its time is being extended at that moment', async () => {
    let hangUp: () => Promise<unknown> = () => Promise.resolve();
    const { telephony, id, duties } = await talking({ extend: () => hangUp().then(() => 600) });
    hangUp = () => telephony.hangUp({ id });
    await stage.sql.query(`UPDATE live_calls SET talking_since = now() - interval '55 s' WHERE call_id = $1`, [id]);
    await duties.see(id);
    const due = 'SELECT granted_seconds FROM live_calls WHERE call_id = $1 AND due_at <= now()';
    expect(await stage.sql.query(due, [id])).toEqual([{ granted_seconds: 600 }]);
  });

  test('is due at once, even if it is found at that moment that its time cannot be extended', async () => {
    let hangUp: () => Promise<unknown> = () => Promise.resolve();
    const { telephony, id, duties } = await talking({ extend: () => hangUp().then(() => 60) });
    hangUp = () => telephony.hangUp({ id });
    await stage.sql.query(`UPDATE live_calls SET talking_since = now() - interval '55 s' WHERE call_id = $1`, [id]);
    await duties.see(id);
    const due = 'SELECT FROM live_calls WHERE call_id = $1 AND due_at <= now()';
    expect(await stage.sql.query(due, [id])).toHaveLength(1);
  });
});
