import type { StoredMark } from './outbox-session';

export type StartMark = StoredMark & { streamCreated: string; isStartedAnew: boolean };

/**
 * Where the relay starts. What another stream had does not count: what the outbox still keeps is published again, and services skip
 * what they know. Accounts are not told again, also if the relay is interrupted before it is where it was.
 */
export function markFor(streamCreated: string, stored: StoredMark): StartMark {
  const isStartedAnew = stored.streamCreated !== undefined && stored.streamCreated !== streamCreated;
  if (!isStartedAnew) {
    return { ...stored, streamCreated, isStartedAnew };
  }
  return { position: 0, open: [], streamCreated, toldTo: Math.max(stored.toldTo, stored.position), isStartedAnew };
}
