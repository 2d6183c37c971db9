import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { z } from 'zod';

/** How a carrier wants to see numbers. */
const formats = ['e164', '+e164', 'national', '0national'] as const;

const trunkShape = z.strictObject({
  /** Of the PJSIP endpoint. */
  name: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/),
  format: z.enum(formats).default('e164'),
  /** Put before the formatted number. */
  prefix: z
    .string()
    .regex(/^[0-9*#]{0,16}$/)
    .optional(),
  /** Shown to the callee when the extension has none. */
  callerId: z
    .string()
    .regex(/^\+?\d{3,15}$/)
    .optional(),
});

export type Trunk = z.output<typeof trunkShape>;

/** TRUNKS: a JSON array, in the order in which they are tried. */
export function readTrunks(text: string, context: z.RefinementCtx): Trunk[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    context.addIssue('expected a JSON array of trunks');
    return z.NEVER;
  }
  const result = z.array(trunkShape).min(1).safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    context.addIssue(`trunk ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
    return z.NEVER;
  }
  return result.data;
}

/** E.164 digits as the carrier wants them. */
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

/** Congestion, outages and silence of a carrier are no answer of the callee: the next trunk may do better. */
const failures = new Set([27, 34, 38, 41, 42, 44, 47, 102]);

export function mayTryNext({ cause, sipStatus }: { cause: number; sipStatus?: number }): boolean {
  if (sipStatus !== undefined && sipStatus >= 400) {
    // 600 and above are final words of the callee.
    return sipStatus === 408 || (sipStatus >= 500 && sipStatus < 600);
  }
  return failures.has(cause);
}
