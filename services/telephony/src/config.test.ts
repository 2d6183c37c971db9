import type { ConfigError } from '@sabia/service-kit/config';
import { loadConfig } from './config';

const least = { DATABASE_URL: 'postgres://sabia_telephony:secret@localhost/sabia', NATS_URL: 'nats://localhost:4222' };

test('without Asterisk the switch is simulated', () => {
  const config = loadConfig(least);
  expect(config.asterisk).toBeUndefined();
  expect(config).toMatchObject({ maximumLiveCalls: 1000, phoneCountry: 'BR', policy: { ringSeconds: 45 } });
});

test('with Asterisk configured it is used, unless SWITCH says otherwise', () => {
  const ari = { ARI_URL: 'http://localhost:8088/ari', ARI_PASSWORD: 'secret' };
  expect(loadConfig({ ...least, ...ari }).asterisk).toEqual({
    nodes: {
      list: [{ name: 'asterisk', ariUrl: ari.ARI_URL, sip: { host: 'localhost', port: 5060 }, capacity: 500 }],
    },
    user: 'sabia',
    password: 'secret',
    app: 'sabia',
    integratedCallHeader: 'X-Api4comintegratedcall',
  });
  const headerOf = (name: string) =>
    loadConfig({ ...least, ...ari, INTEGRATED_CALL_HEADER: name }).asterisk?.integratedCallHeader;
  expect(headerOf('X-Acme-Click')).toBe('X-Acme-Click');
  expect(headerOf('off')).toBeUndefined();
  const captureAt = (address: string) => loadConfig({ ...least, ...ari, SIP_CAPTURE: address }).asterisk?.capture;
  expect(captureAt('0.0.0.0:9060')).toEqual({ host: '0.0.0.0', port: 9060 });
  expect(captureAt('[::1]:9060')).toEqual({ host: '::1', port: 9060 });
  expect([captureAt('off'), captureAt('')]).toEqual([undefined, undefined]);
  expect(loadConfig({ ...least, ...ari, SWITCH: 'simulated' }).asterisk).toBeUndefined();
});

test('missing and wrong variables are named', () => {
  const problems = (env: NodeJS.ProcessEnv) => {
    try {
      loadConfig({ ...least, ...env });
    } catch (error) {
      return (error as ConfigError).problems.map(({ variable }) => variable);
    }
    return [];
  };
  expect(problems({ SWITCH: 'asterisk' })).toEqual(['ARI_URL', 'ARI_PASSWORD']);
  const node = { name: 'asterisk-0', ari: 'http://10.0.0.1:8088/ari', sip: '10.0.0.1:5060' };
  expect(problems({ SWITCHES: JSON.stringify([node, node]) })).toEqual(['SWITCHES']);
  expect(problems({ SWITCHES: JSON.stringify([{ ...node, sip: '10.0.0.1' }]) })).toEqual(['SWITCHES']);
  expect(problems({ SWITCHES: JSON.stringify([node]), SWITCHES_DNS_NAME: '_ari._tcp.nodes' })).toEqual([
    'SWITCHES_DNS_NAME',
  ]);
  expect(problems({ TRUNKS: '[{"name":1}]', PHONE_COUNTRY: 'XX' })).toEqual(['TRUNKS', 'PHONE_COUNTRY']);
  expect(problems({ SIP_CAPTURE: 'telephony:9060' })).toEqual(['SIP_CAPTURE']);
  expect(problems({ SIP_CAPTURE: '0.0.0.0:0' })).toEqual(['SIP_CAPTURE']);
  expect(problems({ INTEGRATED_CALL_HEADER: 'X-A: b' })).toEqual(['INTEGRATED_CALL_HEADER']);
  expect(problems({ RECORDING_SECRET: 'short' })).toEqual(['RECORDING_SECRET']);
  // Everybody knows the secret that follows from no password.
  const trusted = { DATABASE_URL: 'postgres://sabia_telephony@localhost/sabia' };
  expect(problems(trusted)).toEqual(['RECORDING_SECRET']);
  expect(problems({ ...trusted, RECORDING_SECRET: 'a-secret-that-is-long-enough-for-it' })).toEqual([]);
  const half = { RECORDINGS_S3_BUCKET: 'sabia', RECORDINGS_S3_SECRET_ACCESS_KEY: 'geheim' };
  expect(problems(half)).toEqual(['RECORDINGS_S3_ENDPOINT', 'RECORDINGS_S3_ACCESS_KEY_ID']);
  expect(problems({ RECORDINGS_S3_BUCKET: 'a/b', RECORDINGS_S3_PREFIX: 'x y' })).toEqual([
    'RECORDINGS_S3_BUCKET',
    'RECORDINGS_S3_PREFIX',
  ]);
});

test('recordings go to a bucket if there is one', () => {
  expect(loadConfig(least).recordingsS3).toBeUndefined();
  const env = {
    RECORDINGS_S3_ENDPOINT: 'http://minio:9000',
    RECORDINGS_S3_BUCKET: 'sabia',
    RECORDINGS_S3_PREFIX: 'recordings/',
    RECORDINGS_S3_ACCESS_KEY_ID: 'id',
    RECORDINGS_S3_SECRET_ACCESS_KEY: 'geheim',
  };
  expect(loadConfig({ ...least, ...env }).recordingsS3).toEqual({
    ...{ endpoint: 'http://minio:9000', region: 'us-east-1', bucket: 'sabia', prefix: 'recordings/' },
    ...{ accessKeyId: 'id', secretAccessKey: 'geheim' },
  });
});

test('the secret of recordings is the same for all replicas of one database only', () => {
  const secretOf = (password: string) =>
    loadConfig({ ...least, DATABASE_URL: `postgres://sabia_telephony:${password}@localhost/sabia` }).recordingSecret;
  expect(secretOf('one')).toBe(secretOf('one'));
  expect(secretOf('one')).not.toBe(secretOf('two'));
});
