import { ConfigError } from '@sabia/service-kit/config';
import { loadConfig } from './config';

const required = {
  DATABASE_URL: 'postgres://identity@localhost/sabia',
  NATS_URL: 'nats://localhost:4222',
  PUBLIC_URL: 'http://localhost:8080',
  SMTP_URL: 'smtp://localhost:25',
};

test('four variables are enough', () => {
  expect(loadConfig(required)).toMatchObject({
    signUpRules: { domainSuffix: '.sabia.localhost', phoneCountry: 'BR' },
    timeZone: 'America/Sao_Paulo',
    throttle: { failuresPerEmail: 10, failuresPerIp: 100, windowSeconds: 900 },
  });
  expect(loadConfig(required).signUpRules.crmNames).toContain('Outros');
});

test('lists and suffixes are tidied', () => {
  const config = loadConfig({ ...required, CRM_NAMES: 'One, Two,,', ACCOUNT_DOMAIN_SUFFIX: '.Example.COM' });
  expect(config.signUpRules).toMatchObject({ crmNames: ['One', 'Two'], domainSuffix: '.example.com' });
});

test('every wrong variable is named', () => {
  expect.assertions(2);
  try {
    loadConfig({
      ...required,
      SMTP_URL: 'http://x',
      PHONE_COUNTRY: 'Brazil',
      ACCOUNT_TIME_ZONE: 'Mars/Olympus',
      ACCOUNT_DOMAIN_SUFFIX: 'x',
    });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).problems.map(({ variable }) => variable).sort()).toEqual([
      'ACCOUNT_DOMAIN_SUFFIX',
      'ACCOUNT_TIME_ZONE',
      'PHONE_COUNTRY',
      'SMTP_URL',
    ]);
  }
});
