import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { z } from 'zod';

/** The format in which a carrier expects numbers. */
const formats = ['e164', '+e164', 'national', '0national'] as const;

const hostAndPort = /^[A-Za-z0-9.-]{1,253}(:\d{1,5})?$/;
const addressOrNetwork = /^[0-9A-Fa-f.:]{2,45}(\/\d{1,3})?$/;
/** Safe in SIP headers and digests: no quotes, no blanks. */
const sipWord = /^[A-Za-z0-9_.!~*+@-]{1,128}$/;

/** How to reach a carrier that Asterisk's own configuration does not know. */
const carrierShape = {
  /** host or host:port */
  server: z.string().regex(hostAndPort).optional(),
  transport: z.enum(['udp', 'tcp']).optional(),
  /** True: nodes ask it themselves, and not through an edge. */
  direct: z.boolean().optional(),
  /** For digest authentication. */
  username: z.string().regex(sipWord).optional(),
  password: z
    .string()
    .regex(/^[\x21-\x7e]{1,128}$/)
    .optional(),
  /** True: Asterisk registers with the carrier, which then delivers calls. */
  register: z.boolean().optional(),
  /** The user and domain of From, where the carrier wants its own; the caller is then in P-Asserted-Identity. */
  fromUser: z.string().regex(sipWord).optional(),
  fromDomain: z.string().regex(hostAndPort).optional(),
  /** The addresses from which its calls come; none: it delivers no calls. */
  inbound: z.array(z.string().regex(addressOrNetwork)).max(64).optional(),
  /** How often OPTIONS is sent; a carrier that does not respond is skipped. 0: never. */
  qualifySeconds: z.int().min(0).max(3_600).optional(),
  /** A leg without audio for this long is ended. 0: never, for carriers that send none while the callee is silent. */
  silenceSeconds: z.int().min(0).max(3_600).optional(),
};

/** Which destinations a trunk serves: numbers that begin with the prefix, E.164 digits. An empty one stands for all. */
const routeShape = z.strictObject({
  prefix: z.string().regex(/^\d{0,15}$/, 'expected E.164 digits, or nothing for all destinations'),
  /** In whatever currency the operator compares his carriers in. */
  costPerMinute: z.number().min(0).max(1_000_000).optional(),
});

/** When the carrier is used, and how much of it. */
const useShape = {
  /** Lower ones are tried first; not given: 0. */
  priority: z.int().min(0).max(1_000).optional(),
  /** Not given: every destination. */
  routes: z
    .array(routeShape)
    .min(1)
    .max(10_000)
    .refine((routes) => new Set(routes.map(({ prefix }) => prefix)).size === routes.length, 'expected each prefix once')
    .optional(),
  /** The calls that we place on it at most, at once and per second; further ones wait. Not given: no limit. */
  maximumCalls: z.int().min(1).max(100_000).optional(),
  callsPerSecond: z.number().min(0.1).max(1_000).optional(),
};

const trunkShape = z.strictObject({
  /** Name of the PJSIP endpoint. */
  name: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/),
  ...carrierShape,
  ...useShape,
  format: z.enum(formats).default('e164'),
  /** How long to wait for ringing, early audio or an answer before the next trunk is tried. */
  timeoutSeconds: z.int().min(1).max(60).optional(),
  /** Put before the formatted number. */
  prefix: z
    .string()
    .regex(/^[0-9*#]{0,16}$/)
    .optional(),
  /** The caller id, if the extension has none. */
  callerId: z
    .string()
    .regex(/^\+?\d{3,15}$/)
    .optional(),
});

export type Trunk = z.output<typeof trunkShape>;

const LONGEST_LINE = 2_000;

/** Whether a switch reaches a carrier. */
export interface TrunkState {
  trunk: string;
  switchName: string;
  state: 'online' | 'offline' | 'unknown';
}

const trunksShape = z
  .array(
    trunkShape
      .refine((trunk) => trunk.server !== undefined || !Object.keys(carrierShape).some((name) => name in trunk), {
        message: 'expected a server: a trunk without one is described in pjsip_trunks.conf',
        path: ['server'],
      })
      .refine(({ username, password }) => (username === undefined) === (password === undefined), {
        message: 'expected together with username',
        path: ['password'],
      })
      .refine(({ register, username }) => !register || username !== undefined, {
        message: 'expected for register',
        path: ['username'],
      }),
  )
  .min(1)
  .refine((trunks) => new Set(trunks.map(({ name }) => name)).size === trunks.length, 'expected each name once')
  // Lines are named after their trunks, and PostgreSQL limits what an index holds.
  .refine((trunks) => trunks.map(({ name }) => name).join().length <= LONGEST_LINE, {
    message: `expected names of at most ${LONGEST_LINE} characters in all`,
  });

/** TRUNKS: a JSON array. */
export function readTrunks(text: string, context: z.RefinementCtx): Trunk[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    context.addIssue('expected a JSON array of trunks');
    return z.NEVER;
  }
  const result = trunksShape.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    context.addIssue(`trunk ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
    return z.NEVER;
  }
  return result.data;
}

/** E.164 digits in the format of the carrier. */
export function formatNumber({ format, prefix = '' }: Trunk, digits: string): string {
  return prefix + numberIn(format, digits);
}

function numberIn(format: Trunk['format'], digits: string): string {
  switch (format) {
    case 'e164':
      return digits;
    case '+e164':
      return `+${digits}`;
    case 'national':
    case '0national': {
      const national = parsePhoneNumberFromString(`+${digits}`)?.nationalNumber;
      return national === undefined ? digits : `${format === '0national' ? '0' : ''}${national}`;
    }
  }
}

const TIMEOUT_SECONDS = 12;

export const patienceOf = ({ timeoutSeconds = TIMEOUT_SECONDS }: Trunk): number => timeoutSeconds * 1000;

/** Congestion, outages and silence of a carrier say nothing about the callee: the next trunk may succeed. */
const failures = new Set([27, 34, 38, 41, 42, 44, 47, 102]);

export function mayTryNext({ cause, sipStatus }: { cause: number; sipStatus?: number }): boolean {
  if (sipStatus !== undefined && sipStatus >= 400) {
    // 600 and above come from the callee and are final.
    return sipStatus === 408 || (sipStatus >= 500 && sipStatus < 600);
  }
  return failures.has(cause);
}
