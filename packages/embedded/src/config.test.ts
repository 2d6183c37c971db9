import { join } from 'node:path';
import { readStackConfig, UsageError } from './config';
import { projectRoot } from './project';

describe('readStackConfig', () => {
  it('keeps everything in .sabia of the project unless told otherwise', () => {
    expect(readStackConfig({})).toMatchObject({
      home: join(projectRoot, '.sabia'),
      cache: join(projectRoot, '.sabia/cache'),
      host: '127.0.0.1',
      port: 8080,
      gateways: 1,
      durable: true,
      postgresUrl: undefined,
    });
  });

  it('takes what the environment says, and an empty value for none', () => {
    const config = readStackConfig({
      SABIA_HOME: '/somewhere',
      SABIA_PORT: '9000',
      SABIA_NATS_URL: 'nats://n:1',
      SABIA_REDIS_URL: ' ',
    });
    expect(config).toMatchObject({
      home: '/somewhere',
      cache: '/somewhere/cache',
      port: 9000,
      natsUrl: 'nats://n:1',
      redisUrl: undefined,
    });
  });

  it.each(['0', '65536', 'http', '80.5'])('refuses SABIA_PORT=%s by its name', (port) => {
    expect(() => readStackConfig({ SABIA_PORT: port })).toThrow(UsageError);
    expect(() => readStackConfig({ SABIA_PORT: port })).toThrow(/SABIA_PORT/);
  });

  it('leaves the choice of the switch open, and refuses one that does not exist by its name', () => {
    expect(readStackConfig({}).callSwitch).toBeUndefined();
    expect(readStackConfig({ SABIA_SWITCH: 'simulated' }).callSwitch).toBe('simulated');
    expect(() => readStackConfig({ SABIA_SWITCH: 'freeswitch' })).toThrow(/SABIA_SWITCH must be asterisk or simulated/);
  });
});
