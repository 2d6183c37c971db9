import { createLifecycle } from './lifecycle';
import { createLogger } from './logging';

function create(timeoutMs = 1_000) {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const log = createLogger({ name: 'test', level: 'debug', destination });
  return { lifecycle: createLifecycle({ log, timeoutMs }), lines };
}

const never = () => new Promise<void>(() => undefined);

describe('createLifecycle', () => {
  it('stops in reverse order, one after the other', async () => {
    const { lifecycle } = create();
    const order: string[] = [];
    for (const name of ['database', 'nats', 'grpc']) {
      lifecycle.onStop(name, async () => {
        order.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`${name} ends`);
      });
    }
    await lifecycle.stop();
    expect(order).toEqual(['grpc begins', 'grpc ends', 'nats begins', 'nats ends', 'database begins', 'database ends']);
  });

  it('stops once, however often it is told', async () => {
    const { lifecycle } = create();
    const stop = jest.fn(() => Promise.resolve());
    lifecycle.onStop('only', stop);
    await Promise.all([lifecycle.stop(), lifecycle.stop()]);
    await lifecycle.stop();
    expect(stop).toHaveBeenCalledTimes(1);
  });

  it('passes a phase that runs over its time, and says so', async () => {
    const { lifecycle, lines } = create();
    const after = jest.fn();
    lifecycle.onStop('after', after);
    lifecycle.onStop('stuck', never, 5);
    await lifecycle.stop();
    expect(after).toHaveBeenCalled();
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', phase: 'stuck' }));
  });

  it('passes a phase that fails, asynchronously or at once, and says so', async () => {
    const { lifecycle, lines } = create();
    const after = jest.fn();
    lifecycle.onStop('after', after);
    lifecycle.onStop('rejects', () => Promise.reject(new Error('no')));
    lifecycle.onStop('throws', () => {
      throw new Error('no');
    });
    await lifecycle.stop();
    expect(after).toHaveBeenCalled();
    expect(lines.filter(({ level }) => level === 'error').map(({ phase }) => phase)).toEqual(['throws', 'rejects']);
  });

  it('keeps to the time of the whole, and still gives the rest a moment', async () => {
    const { lifecycle } = create(20);
    const last = jest.fn();
    lifecycle.onStop('last', last);
    lifecycle.onStop('stuck', never);
    jest.useFakeTimers();
    try {
      const stopped = lifecycle.stop();
      await jest.advanceTimersByTimeAsync(99);
      expect(last).not.toHaveBeenCalled();
      await jest.advanceTimersByTimeAsync(1);
      await stopped;
      expect(last).toHaveBeenCalled();
    } finally {
      jest.useRealTimers();
    }
  });

  it('also stops what is registered while or after it stops', async () => {
    const { lifecycle } = create();
    const during = jest.fn();
    const after = jest.fn();
    lifecycle.onStop('first', () => lifecycle.onStop('during', during));
    await lifecycle.stop();
    expect(during).toHaveBeenCalled();
    lifecycle.onStop('after', after);
    await new Promise((resolve) => setImmediate(resolve));
    expect(after).toHaveBeenCalled();
  });
});
