import { createHash } from 'node:crypto';

/** As much as 48 bits hold. */
const latestMs = 2 ** 48 - 1;

/** The least version 7 uuid of this moment: it begins with the milliseconds. */
export function firstIdOf(moment: Date): string {
  const hex = Math.min(latestMs, Math.max(0, moment.getTime())).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The moment that a version 7 uuid contains. */
export const momentOf = (id: string): Date => new Date(parseInt(id.replaceAll('-', '').slice(0, 12), 16));

/** A version 7 uuid that is always the same for this moment and text: what is derived from others has one id, however often it is made. */
export function idFrom(moment: Date, text: string): string {
  const bytes = createHash('sha256').update(text).digest();
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  const hex = bytes.toString('hex');
  return `${firstIdOf(moment).slice(0, 13)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
