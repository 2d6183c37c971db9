import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Meter } from '@opentelemetry/api';

/** Metrics of every process: memory, CPU and event loop delay. Returns a function that stops them. */
export function observeProcess(meter: Meter): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();

  meter
    .createObservableGauge('sabia_process_resident_memory_bytes', { description: 'Resident memory' })
    .addCallback((gauge) => gauge.observe(process.memoryUsage.rss()));
  meter
    .createObservableGauge('sabia_process_heap_used_bytes', { description: 'JavaScript heap in use' })
    .addCallback((gauge) => gauge.observe(process.memoryUsage().heapUsed));
  meter
    .createObservableCounter('sabia_process_cpu_seconds_total', { description: 'CPU time, user and system' })
    .addCallback((counter) => {
      const { user, system } = process.cpuUsage();
      counter.observe((user + system) / 1e6);
    });
  meter
    .createObservableGauge('sabia_event_loop_delay_p99_seconds', {
      description: '99th percentile of the event loop delay since the last reading',
    })
    .addCallback((gauge) => {
      gauge.observe(delay.percentile(99) / 1e9);
      delay.reset();
    });

  return () => {
    delay.disable();
  };
}
