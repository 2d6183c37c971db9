/** How many requests a minute are allowed, and by what they are counted. */
export interface ClassRule {
  limit: number;
  by: 'ip' | 'user' | 'user+extension';
}

export const rateLimitClasses = {
  PLACE_CALL: { limit: 15, by: 'user+extension' },
  DIALER: { limit: 15, by: 'user+extension' },
  HANGUP: { limit: 30, by: 'user' },
  LIST_CALLS: { limit: 15, by: 'user' },
  LOGIN: { limit: 10, by: 'ip' },
  OTHER: { limit: 60, by: 'ip' },
  // Whatever a person does in the console. No route declares it.
  CONSOLE: { limit: 600, by: 'user' },
  // Everything on the operator's port.
  OPERATOR: { limit: 600, by: 'ip' },
} as const satisfies Record<string, ClassRule>;

export type RateLimitClass = keyof typeof rateLimitClasses;

export const rateLimitClassNames = Object.keys(rateLimitClasses) as RateLimitClass[];

export const WINDOW_SECONDS = 60;
