import { availableParallelism } from 'node:os';
import {
  chassisVariables,
  integerVariable,
  readEnvironment,
  toChassisConfig,
  urlVariable,
} from '@sabia/service-kit/config';
import type { ChassisConfig } from '@sabia/service-kit/config';
import { isSupportedCountry } from 'libphonenumber-js/max';
import type { CountryCode } from 'libphonenumber-js/max';
import { z } from 'zod';
import type { ThrottlePolicy } from './domain/login-throttle';
import { defaultCrmNames } from './domain/sign-up';
import type { SignUpRules } from './domain/sign-up';

export interface Config {
  chassis: ChassisConfig;
  signUpRules: SignUpRules;
  /** The time zone of new accounts. */
  timeZone: string;
  /** The public address of the gateway, for links in mails. */
  publicUrl: string;
  smtpUrl: string;
  mailFrom: string;
  throttle: ThrottlePolicy;
  passwordHashConcurrency: number;
  /** The token of the first operator; undefined: there is none until somebody puts one here. */
  operatorToken?: string;
}

const variables = {
  ...chassisVariables,
  ACCOUNT_DOMAIN_SUFFIX: z
    .string()
    .regex(/^(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/i, 'expected a dot and a domain name, such as .example.com')
    .transform((suffix) => suffix.toLowerCase())
    .default('.sabia.localhost'),
  ACCOUNT_TIME_ZONE: z.string().refine(isTimeZone, 'expected an IANA time zone').default('America/Sao_Paulo'),
  PHONE_COUNTRY: z
    .string()
    .refine((country): country is CountryCode => isSupportedCountry(country), 'expected a country code of two letters')
    .default('BR'),
  CRM_NAMES: z
    .string()
    .transform((names) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    )
    .default([...defaultCrmNames]),
  PUBLIC_URL: urlVariable('http', 'https'),
  SMTP_URL: urlVariable('smtp', 'smtps'),
  MAIL_FROM: z.string().includes('@').default('Sabiá <no-reply@sabia.localhost>'),
  LOGIN_FAILURES_PER_EMAIL: integerVariable({ min: 1, max: 1000 }).default(10),
  LOGIN_FAILURES_PER_IP: integerVariable({ min: 1, max: 100_000 }).default(100),
  LOGIN_FAILURE_WINDOW_SECONDS: integerVariable({ min: 1, max: 86_400 }).default(900),
  OPERATOR_TOKEN: z.string().min(32, 'expected at least 32 characters').optional(),
  PASSWORD_HASH_CONCURRENCY: integerVariable({ min: 1, max: 64 }).optional(),
};

/** The native hash runs on the four threads of libuv; more at once would queue there. */
const defaultHashConcurrency = () => Math.min(4, availableParallelism());

export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const values = readEnvironment(variables, env);
  return {
    chassis: toChassisConfig(values),
    signUpRules: {
      domainSuffix: values.ACCOUNT_DOMAIN_SUFFIX,
      crmNames: values.CRM_NAMES,
      phoneCountry: values.PHONE_COUNTRY,
    },
    timeZone: values.ACCOUNT_TIME_ZONE,
    publicUrl: values.PUBLIC_URL,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM,
    throttle: {
      failuresPerEmail: values.LOGIN_FAILURES_PER_EMAIL,
      failuresPerIp: values.LOGIN_FAILURES_PER_IP,
      windowSeconds: values.LOGIN_FAILURE_WINDOW_SECONDS,
    },
    passwordHashConcurrency: values.PASSWORD_HASH_CONCURRENCY ?? defaultHashConcurrency(),
    operatorToken: values.OPERATOR_TOKEN,
  };
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}
