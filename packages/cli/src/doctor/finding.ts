import type { Context } from '../context';

export interface Finding {
  /** A hint is worth knowing; only a fault stands in the way of calls. */
  state: 'fine' | 'hint' | 'fault';
  what: string;
  /** What to do about it. */
  advice?: string;
}

export interface Patient {
  context: Context;
  url: string;
  token: string | undefined;
}
