import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { Resource } from '@opentelemetry/resources';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { MetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-node';

// Loaded by telemetry.ts, and only where something is exported.

export function openExporters(otlpEndpoint: string): {
  spanProcessors: SpanProcessor[];
  metricReaders: MetricReader[];
} {
  const base = otlpEndpoint.replace(/\/+$/, '');
  return {
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${base}/v1/traces` }))],
    metricReaders: [
      new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter({ url: `${base}/v1/metrics` }) }),
    ],
  };
}

export const createTracerProvider = (resource: Resource, spanProcessors: SpanProcessor[]): BasicTracerProvider =>
  new BasicTracerProvider({ resource, spanProcessors });
