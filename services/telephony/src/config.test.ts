import type { ConfigError } from '@sabia/service-kit/config';
import { loadConfig } from './config';

const least = { DATABASE_URL: 'postgres://sabia_telephony:secret@localhost/sabia', NATS_URL: 'nats://localhost:4222' };

test('without Asterisk the switch is simulated', () => {
  const config = loadConfig(least);
  expect(config.asterisk).toBeUndefined();
  expect(config).toMatchObject({ maximumLiveCalls: 1000, phoneCountry: 'BR', policy: { ringSeconds: 45 } });
});

test('with it, it is Asterisk, unless said otherwise', () => {
  const ari = { ARI_URL: 'http://localhost:8088/ari', ARI_PASSWORD: 'secret' };
  expect(loadConfig({ ...least, ...ari }).asterisk).toEqual({
    url: ari.ARI_URL,
    user: 'sabia',
    password: 'secret',
    app: 'sabia',
  });
  expect(loadConfig({ ...least, ...ari, SWITCH: 'simulated' }).asterisk).toBeUndefined();
});

test('what is missing or wrong is named', () => {
  const problems = (env: NodeJS.ProcessEnv) => {
    try {
      loadConfig({ ...least, ...env });
    } catch (error) {
      return (error as ConfigError).problems.map(({ variable }) => variable);
    }
    return [];
  };
  expect(problems({ SWITCH: 'asterisk' })).toEqual(['ARI_URL', 'ARI_PASSWORD']);
  expect(problems({ TRUNKS: '[{"name":1}]', PHONE_COUNTRY: 'XX' })).toEqual(['TRUNKS', 'PHONE_COUNTRY']);
  expect(problems({ RECORDING_SECRET: 'short' })).toEqual(['RECORDING_SECRET']);
});

test('the secret of recordings is the same for all who share the database, and no other', () => {
  const secretOf = (password: string) =>
    loadConfig({ ...least, DATABASE_URL: `postgres://sabia_telephony:${password}@localhost/sabia` }).recordingSecret;
  expect(secretOf('one')).toBe(secretOf('one'));
  expect(secretOf('one')).not.toBe(secretOf('two'));
});
