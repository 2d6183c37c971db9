import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'protobufjs';

export interface CollectedSpan {
  /** service.name of the process. */
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** Empty for a root span. */
  parentSpanId: string;
  attributes: Record<string, string>;
}

/** An OpenTelemetry collector that keeps spans. */
export interface TraceCollector {
  /** The value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spansOf(traceId: string): CollectedSpan[];
  /** All bytes received, of spans and of metrics. */
  received(): Buffer;
  close(): Promise<void>;
}

/** The part of opentelemetry-proto that is read here. */
const { root } = parse(`
  syntax = "proto3";
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1;
    bytes span_id = 2;
    bytes parent_span_id = 4;
    string name = 5;
    repeated KeyValue attributes = 9;
  }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`);
const ExportTraceServiceRequest = root.lookupType('ExportTraceServiceRequest');

interface KeyValue {
  key: string;
  value?: Record<string, string | number | boolean>;
}

interface ExportedSpans {
  resourceSpans?: {
    resource?: { attributes?: KeyValue[] };
    scopeSpans?: {
      spans?: { traceId: Buffer; spanId: Buffer; parentSpanId?: Buffer; name: string; attributes?: KeyValue[] }[];
    }[];
  }[];
}

const textOf = ({ value = {} }: KeyValue): string => String(Object.values(value)[0] ?? '');
const toRecord = (attributes: KeyValue[] = []): Record<string, string> =>
  Object.fromEntries(attributes.map((attribute) => [attribute.key, textOf(attribute)]));

function readSpans(bytes: Buffer): CollectedSpan[] {
  const message = ExportTraceServiceRequest.decode(bytes);
  const { resourceSpans = [] } = ExportTraceServiceRequest.toObject(message, { longs: String }) as ExportedSpans;
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans = [] }) =>
      spans.map(({ traceId, spanId, parentSpanId, name, attributes }) => ({
        service: toRecord(resource?.attributes)['service.name'] ?? '',
        name,
        traceId: traceId.toString('hex'),
        spanId: spanId.toString('hex'),
        parentSpanId: parentSpanId?.toString('hex') ?? '',
        attributes: toRecord(attributes),
      })),
    ),
  );
}

export async function openTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      bodies.push(body);
      if (request.url === '/v1/traces') spans.push(...readSpans(body));
      response.setHeader('content-type', 'application/x-protobuf').end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spansOf: (traceId) => spans.filter((span) => span.traceId === traceId),
    received: () => Buffer.concat(bodies),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
