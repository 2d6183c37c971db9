import { chassisVariables, readEnvironment, toChassisConfig } from '@sabia/service-kit/config';
import type { ChassisConfig } from '@sabia/service-kit/config';
import { keyListVariable } from '@sabia/service-kit/key-list';
import { isSupportedCountry } from 'libphonenumber-js/max';
import type { CountryCode } from 'libphonenumber-js/max';
import { z } from 'zod';
import type { SenhaKey } from './domain/senha-vault';

export interface Config {
  chassis: ChassisConfig;
  /** The first key encrypts; all keys decrypt. */
  senhaKeys: SenhaKey[];
  /** The country of numbers without a country code. */
  phoneCountry: CountryCode;
}

const variables = {
  ...chassisVariables,
  EXTENSION_KEYS: keyListVariable(),
  PHONE_COUNTRY: z
    .string()
    .refine((country): country is CountryCode => isSupportedCountry(country), 'expected a country code of two letters')
    .default('BR'),
};

export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const values = readEnvironment(variables, env);
  return {
    chassis: toChassisConfig(values),
    senhaKeys: values.EXTENSION_KEYS,
    phoneCountry: values.PHONE_COUNTRY,
  };
}
