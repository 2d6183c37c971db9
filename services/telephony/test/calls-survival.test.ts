import { billingEvents } from '@sabia/protos/events/billing';
import { createOutbox } from '@sabia/service-kit/events/outbox';
import { eventually } from '@sabia/testkit/eventually';
import { onCallRated } from '../src/events/on-call-rated';
import { newAccount, numbers, onlyNode, openStage, whenCall } from './stage';
import type { Replica, Stage } from './stage';
import { spawnReplica } from './support/replica-process';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(async () => {
  await stage?.close();
});

test('two replicas share the calls: each is driven once, whichever replica took it', async () => {
  const replicas = [await stage.start(), await stage.start()] as const;
  try {
    const caller = newAccount(stage);
    const ids = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const { id } = await replicas[index % 2]!.as(caller).placeCall({
          extension: '1000',
          called: numbers.hangupAfter(1),
        });
        return id;
      }),
    );
    for (const [index, id] of ids.entries()) {
      // Read from the other replica.
      const call = await whenCall(replicas[(index + 1) % 2]!.as(caller), id, 'ended');
      expect(call).toMatchObject({ hangup_cause: 'NORMAL_CLEARING', duration: 1 });
      expect(await stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
    }
    expect((await replicas[0].as(caller).listCalls({})).meta!.totalItemCount).toBe(40);
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()));
  }
});

test('the limit of calls at a time is exact, however many replicas place them', async () => {
  const limited = () => stage.start({ maximumLiveCalls: 10 });
  const replicas = [await limited(), await limited()] as const;
  try {
    const caller = newAccount(stage);
    const answers = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        replicas[index % 2]!.as(caller).placeCall({ extension: '1000', called: numbers.answer }),
      ),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    const [one] = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.id] : []));
    await whenCall(replicas[0].as(caller), one!, 'answered');
    await replicas[0].as(caller).hangUp({ id: one! });
    await whenCall(replicas[0].as(caller), one!, 'ended');
    await replicas[1].as(caller).placeCall({ extension: '1000', called: numbers.answer });
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await stage.sql.query('DELETE FROM live_calls');
  }
});

test('a hangup at the replica that does not drive is done by the one that does', async () => {
  const driver = await stage.start();
  await eventually(async () => (await stage.sql.query('SELECT FROM switch_leases')).length === 1);
  const other = await stage.start();
  try {
    const telephony = other.as(newAccount(stage));
    const { id } = await telephony.placeCall({ extension: '1000', called: numbers.answer });
    await whenCall(telephony, id, 'answered');
    await telephony.hangUp({ id });
    expect(await whenCall(telephony, id, 'ended')).toMatchObject({ hangup_cause: 'NORMAL_CLEARING' });
  } finally {
    await Promise.all([driver.stop(), other.stop()]);
  }
});

test('a replica that stops hands its calls over immediately', async () => {
  const first = await stage.start({ leaseSeconds: 60 });
  const caller = newAccount(stage);
  const { id } = await first.as(caller).placeCall({ extension: '1000', called: numbers.hangupAfter(3) });
  await whenCall(first.as(caller), id, 'answered');
  await first.stop();
  const second = await stage.start();
  try {
    expect(await whenCall(second.as(caller), id, 'ended')).toMatchObject({ duration: 3 });
    expect(await stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
  } finally {
    await second.stop();
  }
});

test('a call that is committed when the next replica has compared its calls with the switch is placed by it', async () => {
  const { sql } = stage;
  const holder = async () => (await sql.query<{ holder: string }>('SELECT holder FROM switch_leases'))[0]?.holder;
  const first = await stage.start({ leaseSeconds: 3 });
  await eventually(async () => (await holder()) !== undefined);
  const second = await stage.start({ leaseSeconds: 3 });
  try {
    const caller = newAccount(stage);
    const place = () => first.as(caller).placeCall({ extension: '1000', called: numbers.answer });
    await whenCall(first.as(caller), (await place()).id, 'answered');
    const late = await sql.transaction(async (tx) => {
      // What counts the calls of the account keeps the insert from its end.
      await tx.query('SELECT FROM call_counters WHERE account_id = $1 FOR UPDATE', [caller.accountId]);
      const placing = place();
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await eventually(async () => (await stage.admin.query(waiting)).length > 0);
      // The first replica finds that it has lost the lease, and waits for its insert; the second takes it when it expires.
      const [other] = await sql.query<{ holder: string }>(
        `UPDATE switch_leases SET holder = gen_random_uuid(), expires_at = clock_timestamp() + interval '2 seconds' RETURNING holder`,
      );
      await eventually(async () => (await holder()) !== other!.holder);
      const [{ now: since }] = (await sql.query<{ now: Date }>('SELECT clock_timestamp() AS now')) as [{ now: Date }];
      // A driver notes that the switch is there when it knows the calls on it.
      await eventually(
        async () => (await stage.admin.query('SELECT FROM sip.switches WHERE seen_at > $1', [since])).length === 1,
      );
      return { placing };
    });
    const { id } = await late.placing;
    await whenCall(second.as(caller), id, 'answered');
  } finally {
    await Promise.all([first.stop(), second.stop()]);
    await sql.query('DELETE FROM live_calls');
  }
});

test('kill -9 in the middle of everything: every call still comes to one end', async () => {
  const victim = await spawnReplica(stage);
  const caller = newAccount(stage);
  const telephony = victim.as(caller);
  const called = [numbers.hangupAfter(2), numbers.ring, numbers.busy, numbers.unallocated, numbers.answer];
  const ids: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all(
      called.map((number) => telephony.placeCall({ extension: '1000', called: number })),
    );
    ids.push(...answers.map(({ id }) => id));
  }
  await victim.kill();

  const successor: Replica = await stage.start();
  try {
    const survivor = successor.as(caller);
    expect((await survivor.listCalls({ filter: '{"limit":100}' })).meta!.totalItemCount).toBe(50);
    for (const [index, id] of ids.entries()) {
      // Calls whose far end never hangs up are hung up here.
      if ([numbers.ring, numbers.answer].includes(called[index % called.length]!)) {
        await whenCall(survivor, id, 'answered');
        await survivor.hangUp({ id });
      }
    }
    for (const id of ids) {
      await whenCall(survivor, id, 'ended');
      const types = await stage.eventTypesOf(id);
      expect(types.filter((type) => type === 'ended')).toHaveLength(1);
      expect(types.filter((type) => type === 'answered').length).toBeLessThanOrEqual(1);
    }
    expect(await stage.sql.query('SELECT FROM live_calls')).toEqual([]);
  } finally {
    await successor.stop();
  }
});

test('an unreachable switch: accepted calls still end', async () => {
  const asterisk = { nodes: onlyNode('http://127.0.0.1:1/ari'), user: 'sabia', password: 'x', app: 'sabia' };
  const replica = await stage.start({ asterisk });
  try {
    const caller = newAccount(stage);
    const endpoint = `1000@${caller.domain}`;
    await stage.admin.query(
      `SELECT sip.register($1, 'sip:1000@127.0.0.1', 600, 'edge', 'udp', 'udp', 'sip:127.0.0.1:5060', '', '127.0.0.1', 'test', 'a', 1)`,
      [endpoint],
    );
    const telephony = replica.as(caller);
    const { id } = await telephony.placeCall({ extension: '1000', called: numbers.answer });
    expect(await whenCall(telephony, id, 'ended')).toMatchObject({ hangup_cause: 'NETWORK_OUT_OF_ORDER' });
    expect(await stage.eventTypesOf(id)).toEqual(['created', 'ended']);
  } finally {
    await replica.stop();
  }
});

test('a switch that never comes back: calls on it stay live for a while, then end', async () => {
  const asterisk = { nodes: onlyNode('http://127.0.0.1:1/ari'), user: 'sabia', password: 'x', app: 'sabia' };
  const placing = await stage.start();
  const caller = newAccount(stage);
  const [kept, over] = await Promise.all(
    [0, 1].map(async () => (await placing.as(caller).placeCall({ extension: '1000', called: numbers.answer })).id),
  );
  await Promise.all([kept, over].map((id) => whenCall(placing.as(caller), id!, 'answered')));
  await placing.stop();
  // As if they were on a switch that was lost, one of them long ago.
  await stage.sql.query(`UPDATE live_calls SET switch = 'asterisk' WHERE call_id = ANY ($1::uuid[])`, [[kept, over]]);
  await stage.sql.query(`UPDATE live_calls SET placed_at = now() - interval '121 s' WHERE call_id = $1`, [over]);
  const replica = await stage.start({ asterisk });
  try {
    const telephony = replica.as(caller);
    expect(await whenCall(telephony, over!, 'ended')).toMatchObject({ hangup_cause: 'NETWORK_OUT_OF_ORDER' });
    expect(await stage.eventTypesOf(over!)).toEqual(['created', 'answered', 'ended']);
    expect((await telephony.getCall({ id: kept! })).call!.status).toBe('answered');
  } finally {
    await replica.stop();
    await stage.sql.query('DELETE FROM live_calls');
  }
});

test('connections to the database that break in the middle lose nothing', async () => {
  const replica = await stage.start();
  try {
    const caller = newAccount(stage);
    const telephony = replica.as(caller);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => telephony.placeCall({ extension: '1000', called: numbers.hangupAfter(1) })),
    );
    for (let round = 0; round < 10; round += 1) {
      await stage.admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'sabia-telephony'`,
      );
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    for (const { id } of answers) {
      await eventually(async () => (await stage.eventsOf(id)).some(({ type }) => type === 'telephony.call.ended'));
      expect(await stage.eventTypesOf(id)).toEqual(['created', 'answered', 'ended']);
      expect(await whenCall(telephony, id, 'ended')).toMatchObject({ duration: 1, hangup_cause: 'NORMAL_CLEARING' });
    }
  } finally {
    await replica.stop();
  }
});

test('a call whose time ran out during an outage is not cut because billing comes back a moment later', async () => {
  const first = await stage.start();
  const caller = newAccount(stage);
  const { id } = await first.as(caller).placeCall({ extension: '1000', called: numbers.answer });
  await whenCall(first.as(caller), id, 'answered');
  await first.stop();
  // As after an outage of the database that lasted longer than what was paid for.
  await stage.sql.query(
    `UPDATE live_calls SET granted_seconds = 60, due_at = now(), talking_since = talking_since - interval '70 s' WHERE call_id = $1`,
    [id],
  );
  // One question of the driver, which its client asks four times.
  stage.neighbours.billing.failures = 4;
  const second = await stage.start();
  try {
    await eventually(
      async () => (await stage.sql.query('SELECT FROM live_calls WHERE granted_seconds > 60')).length === 1,
    );
    expect(stage.neighbours.billing.failures).toBe(0);
    expect((await second.as(caller).getCall({ id })).call!.status).toBe('answered');
    await second.as(caller).hangUp({ id });
    expect(await whenCall(second.as(caller), id, 'ended')).toMatchObject({ hangup_cause: 'NORMAL_CLEARING' });
  } finally {
    stage.neighbours.billing.failures = 0;
    await second.stop();
  }
});

test('the price goes on the record when billing reports it', async () => {
  const replica = await stage.start();
  try {
    const caller = newAccount(stage);
    const telephony = replica.as(caller);
    const { id } = await telephony.placeCall({ extension: '1000', called: numbers.hangupAfter(1) });
    await whenCall(telephony, id, 'ended');
    const rated = { callId: id, minutePrice: 3_500, callPrice: 1_750, billedSeconds: 30 };
    const event = {
      id: '',
      type: billingEvents.callRated.type,
      version: 1,
      accountId: caller.accountId,
      occurredAt: new Date(),
      message: rated,
      deliveryCount: 1,
    };
    const consumer = onCallRated(createOutbox({ poke: () => undefined }));
    const told = () => stage.sql.query("SELECT FROM outbox WHERE type = 'telephony.call.priced'");
    const toldBefore = (await told()).length;
    for (let time = 0; time < 2; time += 1) {
      await stage.sql.transaction((tx) => consumer.handleBatch([event, event], tx));
    }
    expect(await told()).toHaveLength(toldBefore + 1);
    const { call } = await telephony.getCall({ id });
    expect(call).toMatchObject({ minute_price: 3_500, call_price: 1_750, billed_seconds: 30 });
    // A price under another account is ignored.
    const foreign = { ...event, accountId: 1, message: { ...rated, callPrice: 1 } };
    await stage.sql.transaction((tx) => consumer.handleBatch([foreign], tx));
    expect((await telephony.getCall({ id })).call!.call_price).toBe(1_750);
  } finally {
    await replica.stop();
  }
});
