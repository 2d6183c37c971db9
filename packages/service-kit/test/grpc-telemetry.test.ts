import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { notFound } from '@sabia/service-kit/errors';
import { currentScope } from '@sabia/service-kit/request-scope';
import { traceHeaders } from '@sabia/service-kit/trace-context';
import { setStage } from './echo-service';
import type { Stage } from './echo-service';

describe('telemetry of RPCs', () => {
  let stage: Stage | undefined;

  afterEach(async () => {
    await stage?.close();
    stage = undefined;
  });

  it("makes the server's span a child of the client's", async () => {
    const exporter = new InMemorySpanExporter();
    stage = await setStage({
      handlers: {
        say: (words) => Promise.resolve({ text: `${words.text} ${traceHeaders().traceparent}` }),
        write: () => Promise.reject(notFound('word', 'x')),
      },
      spanProcessors: [new SimpleSpanProcessor(exporter)],
    });
    const client = stage.connect();
    const { text } = await client.say({ text: 'x' });
    const [server, outgoing] = exporter.getFinishedSpans();
    expect(server).toMatchObject({ name: 'sabia.test.v1.EchoService/Say', kind: SpanKind.SERVER });
    expect(outgoing).toMatchObject({ name: 'sabia.test.v1.EchoService/Say', kind: SpanKind.CLIENT });
    expect(server?.parentSpanContext?.spanId).toBe(outgoing?.spanContext().spanId);
    expect(server?.spanContext().traceId).toBe(outgoing?.spanContext().traceId);
    expect(text).toContain(server?.spanContext().spanId);

    exporter.reset();
    await expect(client.write({ text: 'x' })).rejects.toThrow('Unknown "word" id "x".');
    expect(exporter.getFinishedSpans().map((span) => span.status.code)).toEqual([
      SpanStatusCode.ERROR,
      SpanStatusCode.ERROR,
    ]);
  });

  it('carries a trace from service to service even while nothing is exported', async () => {
    const traces: (string | undefined)[] = [];
    stage = await setStage({
      handlers: {
        write: (words) => {
          traces.push(currentScope()?.span?.spanContext().traceId);
          return Promise.resolve(words);
        },
        say: (words) => {
          traces.push(currentScope()?.span?.spanContext().traceId);
          return onwards.write(words);
        },
      },
    });
    const onwards = stage.connect();
    await stage.connect().say({ text: 'x' });
    expect(traces[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(traces[1]).toBe(traces[0]);
  });

  it('reports durations by RPC and code in the Prometheus format', async () => {
    stage = await setStage({ handlers: { say: (words) => Promise.resolve(words) } });
    const client = stage.connect();
    await client.say({ text: 'x' });
    await client.write({ text: 'x' }).catch(() => undefined);
    const url = `http://127.0.0.1:${stage.telemetry.metricsPort}`;
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toContain('text/plain');
    const text = await response.text();
    const count = (side: string, rpc: string, code: string) =>
      expect(text).toMatch(
        new RegExp(
          `sabia_rpc_${side}_duration_seconds_count\\{[^}]*rpc="sabia.test.v1.EchoService/${rpc}",code="${code}"[^}]*\\} 1`,
        ),
      );
    count('server', 'Say', 'OK');
    count('server', 'Write', 'UNIMPLEMENTED');
    count('client', 'Say', 'OK');
    expect(text).toContain('service_name="sabia-echo"');
    expect(text).toMatch(/sabia_process_resident_memory_bytes\{[^}]*\} \d+/);
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(names.filter((name) => !name?.startsWith('sabia_'))).toEqual([]);
    await expect(fetch(`${url}/`).then(({ status }) => status)).resolves.toBe(404);
    await expect(fetch(`${url}/metrics`, { method: 'POST' }).then(({ status }) => status)).resolves.toBe(405);
  });

  it('exports traces and metrics to the collector that is configured', async () => {
    const received = new Set<string>();
    const collector = createServer((request, response) => {
      received.add(`${request.method} ${request.url}`);
      request.resume().on('end', () => response.end());
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const { port } = collector.address() as AddressInfo;
    // In a process of its own: the exporter loads node:http by import(), which jest does not offer.
    const script = `
      const { createTelemetry } = require('@sabia/service-kit/telemetry');
      void createTelemetry({
        serviceName: 'echo', otlpEndpoint: 'http://127.0.0.1:${port}/', metricsPort: 0, metricsHost: '127.0.0.1',
      }).then(async (telemetry) => {
        telemetry.tracer.startSpan('x').end();
        telemetry.meter.createCounter('sabia_x').add(1);
        await telemetry.shutdown();
      });`;
    await promisify(execFile)(process.execPath, ['-e', script], { cwd: __dirname });
    collector.closeAllConnections();
    await new Promise((resolve) => collector.close(resolve));
    expect([...received].sort()).toEqual(['POST /v1/metrics', 'POST /v1/traces']);
  });
});
