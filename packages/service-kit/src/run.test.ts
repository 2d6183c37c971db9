import { EventEmitter } from 'node:events';
import type { Service } from './chassis';
import { ConfigError } from './config';
import type { ChassisConfig } from './config';
import { isSwitchedOff, switchOff } from './plain-paths';
import { run } from './run';

const chassis = { logLevel: 'silent' } as ChassisConfig;

function createHost(...args: string[]) {
  const events = new EventEmitter();
  const codes: number[] = [];
  let stderr = '';
  return {
    argv: ['node', 'main.js', ...args],
    stderr: { write: (text: string) => (stderr += text) },
    exit: (code: number) => void codes.push(code),
    on: (event: string, listener: (reason: unknown) => void) => events.on(event, listener),
    emit: (event: string, reason?: unknown) => events.emit(event, reason),
    codes,
    written: () => stderr,
  };
}

function createFakeService(overrides: Partial<Service> = {}): Service & { calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    start: () => {
      calls.push('start');
      return Promise.resolve({ grpcPort: 1, metricsPort: 2 });
    },
    stop: () => {
      calls.push('stop');
      return Promise.resolve();
    },
    ...overrides,
  };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('run', () => {
  const options = (service: Service) => ({
    name: 'test',
    loadConfig: () => ({ chassis }),
    create: () => service,
    migrations: 'nowhere',
  });

  it.each(['SIGTERM', 'SIGINT'])('starts, and stops in order on %s', async (signal) => {
    const host = createHost();
    const service = createFakeService();
    await run(options(service), host);
    expect(service.calls).toEqual(['start']);
    host.emit(signal);
    await tick();
    expect(service.calls).toEqual(['start', 'stop']);
    expect(host.codes).toEqual([0]);
  });

  it('switches optimisations off before it creates the service', async () => {
    const seen: boolean[] = [];
    const service = createFakeService();
    const create = (): Service => {
      seen.push(isSwitchedOff('batching'), isSwitchedOff('prepared-lists'));
      return service;
    };
    const loadConfig = () => ({ chassis: { ...chassis, plainPaths: new Set(['batching'] as const) } });
    try {
      await run({ ...options(service), loadConfig, create }, createHost());
    } finally {
      switchOff(new Set());
    }
    expect(seen).toEqual([true, false]);
  });

  it('exits immediately on a second signal', async () => {
    const host = createHost();
    await run(options(createFakeService({ stop: () => new Promise<void>(() => undefined) })), host);
    host.emit('SIGINT');
    expect(host.codes).toEqual([]);
    host.emit('SIGTERM');
    expect(host.codes).toEqual([1]);
  });

  it('can be stopped while it starts', async () => {
    const host = createHost();
    let failStart: ((error: Error) => void) | undefined;
    const service = createFakeService({ start: () => new Promise((_resolve, reject) => (failStart = reject)) });
    const running = run(options(service), host);
    host.emit('SIGTERM');
    await tick();
    failStart?.(new Error('the pool is closed'));
    await running;
    expect(host.codes).toEqual([0]);
  });

  it('names the variables of a bad configuration and exits with 78', async () => {
    const host = createHost();
    const loadConfig = (): never => {
      throw new ConfigError([{ variable: 'DATABASE_URL', reason: 'is required' }]);
    };
    await run({ ...options(createFakeService()), loadConfig }, host);
    expect(host.codes).toEqual([78]);
    expect(host.written()).toContain('DATABASE_URL is required');
  });

  it('exits with 1 when it cannot start, and on uncaught errors', async () => {
    const host = createHost();
    await run(options(createFakeService({ start: () => Promise.reject(new Error('port taken')) })), host);
    host.emit('unhandledRejection', new Error('lost'));
    host.emit('uncaughtException', new Error('lost'));
    expect(host.codes).toEqual([1, 1, 1]);
  });

  it('refuses a command that it does not know', async () => {
    const host = createHost('destroy');
    await run(options(createFakeService()), host);
    expect(host.codes).toEqual([64]);
    expect(host.written()).toContain('"destroy"');
  });

  it.each([
    ['migrate', '--wait'],
    ['migrate', '--wait', 'long'],
    ['serve', '--wait', '5'],
    ['migrate', 'all'],
  ])('refuses what does not belong to a command: %s %s', async (...args) => {
    const host = createHost(...args);
    await run(options(createFakeService()), host);
    expect(host.codes).toEqual([64]);
    expect(host.written()).toContain('migrate [--wait SECONDS]');
  });
});
