import type { TokenKind } from './access-token';

/** A session of the console ends after thirty days, and earlier if it is not used for twelve hours. */
export const sessionTtlSeconds = 30 * 24 * 60 * 60;
export const sessionIdleMs = 12 * 60 * 60 * 1000;

/** The last use is known to the minute, which is exact enough here. */
export function sessionIsIdle(
  { kind, createdAt, lastUsedAt }: { kind: TokenKind; createdAt: Date; lastUsedAt: Date | null },
  now: Date,
): boolean {
  return kind === 'session' && now.getTime() - (lastUsedAt ?? createdAt).getTime() >= sessionIdleMs;
}
