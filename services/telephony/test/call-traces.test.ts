import { trace } from '@opentelemetry/api';
import { createOutbox } from '@sabia/service-kit/events/outbox';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { runInScope } from '@sabia/service-kit/request-scope';
import { contextFromHeaders } from '@sabia/service-kit/trace-context';
import { createTestDatabase } from '@sabia/testkit/database';
import { createCallProgress } from '../src/switch/call-progress';
import { createPlacement } from '../src/switch/placement';
import type { CallToPlace } from '../src/switch/placement';

const log = createLogger({ name: 'telephony', level: 'silent' });
const policy = {
  ...{ ringSeconds: 45, maximumSeconds: 3600, extendSeconds: 60 },
  ...{ extendLeadSeconds: 10, warningSeconds: 0, hangupSeconds: 5 },
};
const call: CallToPlace = {
  ...{ dialId: null, accountId: 7, userId: 1, domain: 'd.example', timeZone: 'UTC', type: 'internal', from: '1000' },
  ...{ to: '1001', email: '', firstName: '', lastName: '', bina: null, metadata: '{}', record: false },
  ...{ ramal: '1000', aChannel: null },
};
const traceOf = (digit: string, flags: string): string => `00-${digit.repeat(32)}-${digit.repeat(16)}-${flags}`;

let home: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;

beforeAll(async () => {
  home = await createTestDatabase('telephony');
  database = createDatabase({ url: home.url, applicationName: 'test', poolSize: 4, log });
});

afterAll(async () => {
  await database?.close();
  await home?.drop();
});

test('whatever becomes of a call is told in the trace of its own request, where that is kept', async () => {
  const outbox = createOutbox({ poke: () => undefined });
  const now = () => new Date();
  const placement = createPlacement({
    ...{ database, outbox, policy, log, now, switchName: 'simulated', maximumLiveCalls: 0 },
    billing: { reserve: () => Promise.resolve(60), release: () => Promise.resolve() },
    onPlaced: () => undefined,
  });
  const kept = [traceOf('a', '01'), traceOf('b', '01')];
  const traces = [...kept, traceOf('c', '00'), traceOf('d', '00')];
  // The first is written alone, the others together.
  const placed = await Promise.all(
    traces.map((traceparent) => {
      const span = trace.getSpan(contextFromHeaders({ traceparent }));
      return runInScope({ requestId: 'r', signal: new AbortController().signal, span }, () => placement.place(call));
    }),
  );
  expect(placed.map((one) => one?.traceparent)).toEqual([...kept, null, null]);

  const progress = createCallProgress({
    ...{ database, outbox, policy, now, callSwitch: { name: 'simulated', recordingSettlesMs: 0 } },
    metrics: { answered: () => undefined, ended: () => undefined },
  });
  for (const one of placed) {
    await progress.apply({ kind: 'answered', callId: one!.id, at: now() });
    await progress.apply({ kind: 'ended', callId: one!.id, at: now(), cause: 'NORMAL_CLEARING' });
  }
  const told = async (type: string): Promise<string[]> => {
    const rows = await database.query<{ traceparent: string }>(
      'SELECT traceparent FROM outbox WHERE type = $1 ORDER BY position',
      [`telephony.call.${type}`],
    );
    return rows.map(({ traceparent }) => traceparent);
  };
  expect(await told('created')).toEqual([...kept, '', '']);
  expect(await told('answered')).toEqual([...kept, '', '']);
  expect(await told('ended')).toEqual([...kept, '', '']);
});
