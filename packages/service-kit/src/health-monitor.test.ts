import { createHealthMonitor } from './health-monitor';
import type { HealthCheck } from './health-monitor';
import { createLogger } from './logging';

const log = createLogger({ name: 'test', level: 'silent' });
const pass = () => Promise.resolve();
const fail = () => Promise.reject(new Error('away'));

function watch(checks: Record<string, HealthCheck>, timing: { intervalMs?: number; timeoutMs?: number } = {}) {
  const health: Record<string, boolean> = {};
  const monitor = createHealthMonitor({
    checks,
    report: (name, healthy) => (health[name] = healthy),
    log,
    intervalMs: 60_000,
    ...timing,
  });
  return { health, monitor };
}

describe('createHealthMonitor', () => {
  it('tells of each part and of the whole after the first round', async () => {
    const { health, monitor } = watch({
      postgres: { required: true, check: pass },
      nats: { required: false, check: fail },
    });
    await monitor.start();
    monitor.stop();
    expect(health).toEqual({ postgres: true, nats: false, '': true });
  });

  it('is unhealthy when a required part is', async () => {
    const { health, monitor } = watch({ postgres: { required: true, check: fail } });
    await monitor.start();
    monitor.stop();
    expect(health).toEqual({ postgres: false, '': false });
  });

  it('takes a check that does not answer for a failure', async () => {
    const never = () => new Promise<void>(() => undefined);
    const { health, monitor } = watch({ postgres: { required: true, check: never } }, { timeoutMs: 5 });
    await monitor.start();
    monitor.stop();
    expect(health['']).toBe(false);
  });

  it('asks again when a part says that it has changed', async () => {
    let check: () => Promise<void> = fail;
    let changed = (): void => undefined;
    const { health, monitor } = watch({
      nats: {
        required: true,
        check: () => check(),
        onChange: (listener) => {
          changed = listener;
          return () => (changed = () => undefined);
        },
      },
    });
    await monitor.start();
    expect(health['']).toBe(false);
    check = pass;
    changed();
    await new Promise((resolve) => setImmediate(resolve));
    expect(health).toEqual({ nats: true, '': true });
    monitor.stop();
  });

  it('asks again after a while, and no more once it is stopped', async () => {
    jest.useFakeTimers();
    try {
      const check = jest.fn(pass);
      const { monitor } = watch({ postgres: { required: true, check } }, { intervalMs: 2_000 });
      await monitor.start();
      await jest.advanceTimersByTimeAsync(4_000);
      expect(check).toHaveBeenCalledTimes(3);
      monitor.stop();
      await jest.advanceTimersByTimeAsync(10_000);
      expect(check).toHaveBeenCalledTimes(3);
    } finally {
      jest.useRealTimers();
    }
  });
});
