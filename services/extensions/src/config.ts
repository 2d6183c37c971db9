import {
  ConfigError,
  chassisVariables,
  integerVariable,
  readEnvironment,
  toChassisConfig,
} from '@sabia/service-kit/config';
import type { ChassisConfig } from '@sabia/service-kit/config';
import { keyListVariable } from '@sabia/service-kit/key-list';
import { isSupportedCountry } from 'libphonenumber-js/max';
import type { CountryCode } from 'libphonenumber-js/max';
import { z } from 'zod';
import { iceServersVariable, needsSecret } from './domain/ice-servers';
import type { IceConfig } from './domain/ice-servers';
import { sipServersVariable } from './domain/sip-servers';
import type { SipServer } from './domain/sip-servers';
import type { SenhaKey } from './domain/senha-vault';

export interface Config {
  chassis: ChassisConfig;
  /** The first key encrypts; all keys decrypt. */
  senhaKeys: SenhaKey[];
  /** The country of numbers without a country code. */
  phoneCountry: CountryCode;
  /** The STUN and TURN servers of web phones. */
  ice: IceConfig;
  /** Where softphones and desk phones register; none: at the domains of the accounts. */
  sipServers: SipServer[];
}

const variables = {
  ...chassisVariables,
  EXTENSION_KEYS: keyListVariable(),
  PHONE_COUNTRY: z
    .string()
    .refine((country): country is CountryCode => isSupportedCountry(country), 'expected a country code of two letters')
    .default('BR'),
  ICE_SERVERS: iceServersVariable().default([]),
  TURN_SECRET: z.string().min(16, 'expected at least 16 characters').optional(),
  TURN_CREDENTIAL_SECONDS: integerVariable({ min: 300, max: 604_800 }).default(43_200),
  SIP_PUBLIC_ADDRESSES: sipServersVariable().default([]),
};

export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const values = readEnvironment(variables, env);
  const { ICE_SERVERS: servers, TURN_SECRET: turnSecret, TURN_CREDENTIAL_SECONDS: credentialSeconds } = values;
  if (turnSecret === undefined && servers.some(needsSecret)) {
    const reason = 'is required for a TURN server without a credential in ICE_SERVERS';
    throw new ConfigError([{ variable: 'TURN_SECRET', reason }]);
  }
  return {
    chassis: toChassisConfig(values),
    senhaKeys: values.EXTENSION_KEYS,
    phoneCountry: values.PHONE_COUNTRY,
    ice: { servers, turnSecret, credentialSeconds },
    sipServers: values.SIP_PUBLIC_ADDRESSES,
  };
}
