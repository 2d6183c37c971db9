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

  it('reads the environment, and treats an empty value as none', () => {
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

  it.each(['0', '65536', 'http', '80.5'])('refuses the port %s by the name of its variable', (port) => {
    for (const name of ['SABIA_PORT', 'SABIA_SIP_WS_PORT']) {
      expect(() => readStackConfig({ [name]: port })).toThrow(UsageError);
      expect(() => readStackConfig({ [name]: port })).toThrow(name);
    }
  });

  it('has a port for web phones alone only if one is named', () => {
    expect(readStackConfig({}).sipWsPort).toBeUndefined();
    expect(readStackConfig({ SABIA_SIP_WS_PORT: '6443' }).sipWsPort).toBe(6443);
  });

  it('reads one number of replicas for all, or one for each', () => {
    expect(readStackConfig({}).replicas).toMatchObject({ identity: 1, webhook: 1 });
    const two = readStackConfig({ SABIA_REPLICAS: '2' });
    expect(two).toMatchObject({ gateways: 2, replicas: { identity: 2, webhook: 2 } });
    const some = readStackConfig({ SABIA_REPLICAS: 'billing=3, gateway=2' });
    expect(some).toMatchObject({ gateways: 2, replicas: { billing: 3 } });
    expect(readStackConfig({ SABIA_REPLICAS: '2', SABIA_GATEWAYS: '1' }).gateways).toBe(1);
  });

  it.each(['0', '9', 'many', 'identity', 'identity=x', 'mailbox=2'])(
    'refuses SABIA_REPLICAS=%s by its name',
    (text) => {
      expect(() => readStackConfig({ SABIA_REPLICAS: text })).toThrow(/SABIA_REPLICAS/);
    },
  );

  it('has one node and one edge unless told otherwise', () => {
    expect(readStackConfig({})).toMatchObject({ switches: 1, edges: 1 });
    expect(readStackConfig({ SABIA_SWITCHES: '3', SABIA_EDGES: '2' })).toMatchObject({ switches: 3, edges: 2 });
    expect(() => readStackConfig({ SABIA_SWITCHES: '0' })).toThrow(/SABIA_SWITCHES must be a whole number/);
  });

  it('leaves the choice of the switch open, and refuses one that does not exist by its name', () => {
    expect(readStackConfig({}).callSwitch).toBeUndefined();
    expect(readStackConfig({ SABIA_SWITCH: 'simulated' }).callSwitch).toBe('simulated');
    expect(() => readStackConfig({ SABIA_SWITCH: 'freeswitch' })).toThrow(/SABIA_SWITCH must be asterisk or simulated/);
  });
});
