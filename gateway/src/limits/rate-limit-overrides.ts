import proxyAddr from 'proxy-addr';
import { z } from 'zod';
import { rateLimitClassNames } from '../contract/rate-limit-classes';
import type { RateLimitClass } from '../contract/rate-limit-classes';

type ClassLimits = Partial<Record<RateLimitClass, number>>;

/** Limits that an operator grants instead of the published ones. */
export interface RateLimitOverrides {
  addresses: { cidr: string; limits: ClassLimits }[];
  /** An account is named by its domain or its uuid. */
  accounts: { account: string; limits: ClassLimits }[];
}

const most = 1_000_000_000;
const expectation = `expected a whole number from 1 to ${most}`;

const classLimits = z.strictObject(
  Object.fromEntries(
    rateLimitClassNames.map((name) => [name, z.int(expectation).min(1, expectation).max(most, expectation).optional()]),
  ) as Record<RateLimitClass, z.ZodOptional<z.ZodInt>>,
  { error: ({ code, keys }) => explainKeys(code, keys as string[] | undefined, rateLimitClassNames) },
);

const cidr = z.string().refine(isRange, 'expected an address or a CIDR range such as 203.0.113.0/24');

const account = z
  .string()
  .regex(/^[0-9a-z.-]+$/i, 'expected the domain or the uuid of an account')
  .transform((name) => name.toLowerCase());

const overrides = z.strictObject(
  {
    addresses: z.array(z.strictObject({ cidr, limits: classLimits })).default([]),
    accounts: z.array(z.strictObject({ account, limits: classLimits })).default([]),
  },
  { error: ({ code, keys }) => explainKeys(code, keys as string[] | undefined, ['addresses', 'accounts']) },
);

/** RATE_LIMIT_OVERRIDES: JSON; every problem in it is reported with its path. */
export const overridesVariable = z.string().transform((text, context): RateLimitOverrides => {
  const result = overrides.safeParse(parseJson(text));
  if (result.success) {
    return result.data;
  }
  for (const { path, message } of result.error.issues) {
    context.addIssue(path.length === 0 ? message : `${placeOf(path)}: ${message}`);
  }
  return z.NEVER;
});

function explainKeys(code: string, keys: string[] | undefined, known: readonly string[]): string | undefined {
  if (code === 'unrecognized_keys') {
    return `unknown ${keys!.join(', ')}; there are ${known.join(', ')}`;
  }
  return code === 'invalid_type' ? 'expected a JSON object' : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const placeOf = (path: PropertyKey[]): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');

function isRange(text: string): boolean {
  try {
    proxyAddr.compile(text);
    return true;
  } catch {
    return false;
  }
}
