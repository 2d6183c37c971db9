import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Meter, Tracer } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-node';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import { observeProcess } from './process-metrics';
import { passingTracer } from './trace-context';

export interface TelemetryOptions {
  serviceName: string;
  /** Base URL of an OTLP/HTTP collector. Without it no traces are exported, and spans cost next to nothing. */
  otlpEndpoint?: string;
  metricsPort: number;
  metricsHost?: string;
  /** Replace the exporter to otlpEndpoint; for tests. */
  spanProcessors?: SpanProcessor[];
}

export interface Telemetry {
  tracer: Pick<Tracer, 'startSpan'>;
  /** Instrument names begin with "sabia_". */
  meter: Meter;
  /** The port on which GET /metrics answers in the Prometheus text format. */
  metricsPort: number;
  shutdown(): Promise<void>;
}

/**
 * On demand: most processes export nothing, and these packages are a third of the code that a service would load. By the name of the
 * package, so that a bundle, which leaves them out by that name, finds them from its own folder.
 */
const loadExporters = () => import('@sabia/service-kit/telemetry-exporters');

/** Providers are not registered globally, so that several services can run in one process, as in tests. */
export async function createTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { serviceName, otlpEndpoint, metricsPort, metricsHost } = options;
  const resource = resourceFromAttributes({ [ATTR_SERVICE_NAME]: `sabia-${serviceName}` });
  const exporters = otlpEndpoint === undefined ? undefined : (await loadExporters()).openExporters(otlpEndpoint);

  const prometheus = new PrometheusExporter({
    preventServerStart: true,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
    withResourceConstantLabels: /^service\.name$/,
  });
  const readers = [prometheus, ...(exporters?.metricReaders ?? [])];
  const meters = new MeterProvider({ resource, readers });
  const meter = meters.getMeter('sabia');
  const stopObserving = observeProcess(meter);
  const spanProcessors = options.spanProcessors ?? exporters?.spanProcessors;
  const traces = spanProcessors && (await loadExporters()).createTracerProvider(resource, spanProcessors);

  const server = createServer((request, response) => {
    if (request.url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(404).end();
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
    } else {
      prometheus.getMetricsRequestHandler(request, response);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(metricsPort, metricsHost, () => resolve());
  });

  return {
    tracer: traces?.getTracer('sabia') ?? passingTracer,
    meter,
    metricsPort: (server.address() as AddressInfo).port,
    async shutdown() {
      stopObserving();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      // A collector that cannot be reached must not keep a service from stopping cleanly.
      await Promise.allSettled([closed, traces?.shutdown(), meters.shutdown()]);
    },
  };
}
