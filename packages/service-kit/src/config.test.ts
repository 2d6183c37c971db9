import { z } from 'zod';
import {
  ConfigError,
  chassisVariables,
  flagVariable,
  integerVariable,
  readEnvironment,
  toChassisConfig,
} from './config';

const minimal = { DATABASE_URL: 'postgres://sabia_identity:pw@db:5432/sabia', NATS_URL: 'nats://nats:4222' };

function problemsOf(read: () => unknown): ConfigError {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) {
      return error;
    }
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('readEnvironment', () => {
  it('gives the chassis its defaults', () => {
    expect(toChassisConfig(readEnvironment(chassisVariables, minimal))).toEqual({
      databaseUrl: minimal.DATABASE_URL,
      natsUrl: minimal.NATS_URL,
      grpcHost: '0.0.0.0',
      grpcPort: 0,
      metricsPort: 0,
      logLevel: 'info',
      otlpEndpoint: undefined,
      databasePoolSize: 10,
      databaseCostlyPoolSize: 2,
      maxConnectionAgeMs: 20_000,
      shutdownTimeoutMs: 25_000,
      outboxPollMs: 250,
      shardEvents: false,
      packEvents: false,
    });
  });

  it('names every offending variable and why, all at once', () => {
    const error = problemsOf(() =>
      readEnvironment(chassisVariables, { DATABASE_URL: 'mysql://x', GRPC_PORT: '70000', LOG_LEVEL: 'loud' }),
    );
    expect(error.problems.map(({ variable }) => variable).sort()).toEqual([
      'DATABASE_URL',
      'GRPC_PORT',
      'LOG_LEVEL',
      'NATS_URL',
    ]);
    expect(error.message).toContain('NATS_URL is required');
    expect(error.message).toContain('DATABASE_URL is not valid: expected a URL that begins with postgres://');
  });

  it('repeats no value, whatever a check says', () => {
    const shape = {
      DATABASE_URL: chassisVariables.DATABASE_URL,
      API_KEY: z.string().refine(() => false, { error: (issue) => `"${String(issue.input)}" is not a key` }),
      PORT: integerVariable(),
    };
    const env = { DATABASE_URL: 'hunter2-database', API_KEY: 'hunter2-key', PORT: 'hunter2-port' };
    expect(problemsOf(() => readEnvironment(shape, env)).message).not.toContain('hunter2');
  });

  it('reads a variable that is set to nothing as absent', () => {
    const error = problemsOf(() => readEnvironment(chassisVariables, { ...minimal, DATABASE_URL: '' }));
    expect(error.problems).toEqual([{ variable: 'DATABASE_URL', reason: 'is required' }]);
    expect(readEnvironment(chassisVariables, { ...minimal, GRPC_PORT: '' }).GRPC_PORT).toBe(0);
  });

  it.each(['1.5', '0x10', '1e3', ' 7', 'seven'])('does not take %j for a whole number', (text) => {
    expect(problemsOf(() => readEnvironment({ N: integerVariable() }, { N: text })).message).toContain(
      'N is not valid',
    );
  });

  it('reads flags in the usual spellings', () => {
    const shape = { FLAG: flagVariable().default(true) };
    expect(readEnvironment(shape, {}).FLAG).toBe(true);
    expect(readEnvironment(shape, { FLAG: 'false' }).FLAG).toBe(false);
    expect(readEnvironment(shape, { FLAG: '1' }).FLAG).toBe(true);
    expect(problemsOf(() => readEnvironment(shape, { FLAG: 'perhaps' })).message).toContain('FLAG');
  });

  it('reads which optimisations are switched off, and refuses unknown names', () => {
    const read = (text?: string) =>
      toChassisConfig(readEnvironment(chassisVariables, { ...minimal, PLAIN_PATHS: text })).plainPaths;
    expect(read()).toBeUndefined();
    expect(read(' multiplex, ')).toEqual(new Set(['multiplex']));
    expect(problemsOf(() => read('multiplex,speed')).message).toContain(
      'PLAIN_PATHS is not valid: expected names of binary-rows, multiplex',
    );
  });

  it('accepts several NATS servers', () => {
    const url = 'nats://a:4222,nats://b:4222';
    expect(readEnvironment(chassisVariables, { ...minimal, NATS_URL: url }).NATS_URL).toBe(url);
  });
});
