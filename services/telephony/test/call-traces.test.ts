import { trace } from '@opentelemetry/api';
import { createOutbox } from '@sabia/service-kit/events/outbox';
import { runInScope } from '@sabia/service-kit/request-scope';
import { contextFromHeaders } from '@sabia/service-kit/trace-context';
import { createCallProgress } from '../src/driving/call-progress';
import { createSimulatedSwitch } from '../src/switch/simulated/switch';
import { callToPlace, openPlacement, policy, useOwnDatabase } from './placing-stage';

const home = useOwnDatabase();
const call = callToPlace({ type: 'internal', to: '1001' });
const traceOf = (digit: string, flags: string): string => `00-${digit.repeat(32)}-${digit.repeat(16)}-${flags}`;

test('all events of a call belong to the trace of its request, if that is sampled', async () => {
  const { database } = home;
  const outbox = createOutbox({ poke: () => undefined });
  const now = () => new Date();
  const placement = openPlacement({ database, outbox, now });
  const kept = [traceOf('a', '01'), traceOf('b', '01')];
  const traces = [...kept, traceOf('c', '00'), traceOf('d', '00')];
  // The first is written alone, the others together.
  const placed = await Promise.all(
    traces.map((traceparent) => {
      const span = trace.getSpan(contextFromHeaders({ traceparent }));
      return runInScope({ requestId: 'r', signal: new AbortController().signal, span }, () => placement.place(call));
    }),
  );
  expect(placed.map((one) => one.traceparent)).toEqual([...kept, null, null]);

  const progress = createCallProgress({
    ...{ database, outbox, policy, now, plane: createSimulatedSwitch(), onLinedUp: () => undefined },
    metrics: { answered: () => undefined, ended: () => undefined },
    urls: { urlOf: (id) => id },
  });
  for (const one of placed) {
    await progress.apply({ kind: 'answered', callId: one.id, at: now() });
    await progress.apply({ kind: 'ended', callId: one.id, at: now(), cause: 'NORMAL_CLEARING' });
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
