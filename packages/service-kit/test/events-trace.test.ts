import { eventSubject } from '@sabia/service-kit/events/nats/topology';
import { outgoingEvent } from '@sabia/service-kit/events/outbox';
import { currentScope, runInScope } from '@sabia/service-kit/request-scope';
import { traceHeaders } from '@sabia/service-kit/trace-context';
import { eventually } from '@sabia/testkit/eventually';
import { SpanKind } from '@opentelemetry/api';
import { ownTelemetry, useEventRoom } from './event-room';
import { textEvent, unique } from './event-stage';

describe('events and their trace', () => {
  const room = useEventRoom();

  it('continues in the consumer and in what it causes', async () => {
    room.stage.relay.start();
    const { exporter, ...telemetry } = ownTelemetry();
    const next = textEvent(`billing.${unique('noun')}.happened`);
    const seen: (string | undefined)[] = [];
    room.stage.consume(
      {
        durable: unique('consumer'),
        handle: async (_event, tx) => {
          seen.push(currentScope()?.span?.spanContext().traceId);
          await room.stage.outbox.write(tx, [outgoingEvent(next, '', { accountId: 1 })]);
        },
      },
      { telemetry },
    );
    room.stage.consume(
      { durable: unique('consumer'), events: [next], handle: async () => void seen.push(traceHeaders().traceparent) },
      { telemetry },
    );

    const producer = telemetry.tracer.startSpan('producer');
    await runInScope({ requestId: 'test', signal: new AbortController().signal, span: producer }, () =>
      room.stage.publish([{ text: 'traced' }]),
    );
    producer.end();
    await eventually(() => exporter.getFinishedSpans().length === 3);

    const spans = exporter.getFinishedSpans();
    const [first, second] = [`consume ${room.stage.event.type}`, `consume ${next.type}`].map((name) =>
      spans.find((span) => span.name === name),
    );
    const { traceId, spanId } = producer.spanContext();
    expect(first).toMatchObject({ kind: SpanKind.CONSUMER, parentSpanContext: { traceId, spanId, isRemote: true } });
    expect(second?.parentSpanContext).toMatchObject({ traceId, spanId: first?.spanContext().spanId });
    expect(seen[0]).toBe(traceId);
    expect(seen[1]).toBe(`00-${traceId}-${second?.spanContext().spanId}-01`);

    const connection = await room.stage.nats.connection();
    const manager = await connection.jetstreamManager();
    const stored = await manager.streams.getMessage('SABIA', { last_by_subj: eventSubject(room.stage.event.type) });
    expect(stored.header.get('traceparent')).toBe(`00-${traceId}-${spanId}-01`);
  });
});
