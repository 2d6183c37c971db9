import { createHash, randomFillSync } from 'node:crypto';
import type { EventDefinition } from '@sabia/protos/events/define-event';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Random bytes for many ids: fetching them costs more than the rest of an id. */
const randomPool = Buffer.allocUnsafe(16 * 256);
let poolUsed = randomPool.length;

function randomBytesOfId(): Buffer {
  if (poolUsed === randomPool.length) {
    randomFillSync(randomPool);
    poolUsed = 0;
  }
  poolUsed += 16;
  return randomPool.subarray(poolUsed - 16, poolUsed);
}

/** A version 7 uuid: ids of the same time are neighbours in an index, which keeps a large inbox cheap. */
export function newEventId(now: Date = new Date()): string {
  const bytes = randomBytesOfId();
  bytes.writeUIntBE(now.getTime(), 0, 6);
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * The id of an event that happens once to its subject, such as the end of a call. Publishing it again yields the same id, so
 * that no consumer handles it twice. The time comes from the subject's id, which is a version 7 uuid itself.
 */
export function eventIdOf({ type }: Pick<EventDefinition, 'type'>, subjectId: string): string {
  const id = subjectId.toLowerCase();
  const bytes = createHash('sha256').update(`${type} ${id}`).digest();
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  const hex = bytes.toString('hex');
  return `${id.slice(0, 13)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

export function isEventId(text: string): boolean {
  return uuidPattern.test(text);
}
