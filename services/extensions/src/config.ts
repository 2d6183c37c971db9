import { chassisVariables, readEnvironment, toChassisConfig } from '@sabia/service-kit/config';
import type { ChassisConfig } from '@sabia/service-kit/config';
import { isSupportedCountry } from 'libphonenumber-js/max';
import type { CountryCode } from 'libphonenumber-js/max';
import { z } from 'zod';
import type { SenhaKey } from './domain/senha-vault';

export interface Config {
  chassis: ChassisConfig;
  /** The first one seals; all of them open. */
  senhaKeys: SenhaKey[];
  /** Of numbers that are written without a country code. */
  phoneCountry: CountryCode;
}

const variables = {
  ...chassisVariables,
  EXTENSION_KEYS: z.string().transform(readKeys),
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

const idPattern = /^[A-Za-z0-9_.-]{1,32}$/;
const keyBytes = 32;

/** Never repeats any part of a key in what it says. */
function readKeys(text: string, context: z.RefinementCtx): SenhaKey[] {
  const keys: SenhaKey[] = [];
  for (const [index, entry] of text.split(',').entries()) {
    const [id = '', encoded = ''] = entry.trim().split(/:(.*)/s);
    const bytes = Buffer.from(encoded, 'base64');
    if (!idPattern.test(id)) {
      context.addIssue(
        `expected "id:key,id:key…"; the id of key ${index + 1} is not 1 to 32 letters, digits, ".", "_", "-"`,
      );
    } else if (bytes.length !== keyBytes || bytes.toString('base64') !== encoded) {
      context.addIssue(`key "${id}" is not ${keyBytes} bytes in base64`);
    } else if (keys.some((key) => key.id === id)) {
      context.addIssue(`key "${id}" is there twice`);
    } else {
      keys.push({ id, bytes });
    }
  }
  return keys;
}
