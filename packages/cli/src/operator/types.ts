import type { PageMeta } from '@sabia/client';

/** What the operator's API answers with; /openapi.json on its port describes it. */

export interface PageOf<T> {
  data: T[];
  meta: PageMeta;
}

export interface OperatedAccount {
  id: number;
  domain: string;
  name: string;
  email: string;
  phone: string;
  createdAt: string;
  activatedAt: string | null;
  suspendedAt: string | null;
  suspensionReason: string | null;
  users: number;
  limits: AccountLimits;
}

/** Null: what the platform allows every account. */
export interface AccountLimits {
  liveCalls: number | null;
  extensions: number | null;
  users: number | null;
  /** Days for which its recordings are kept. */
  recordingRetentionDays: number | null;
}

export interface AccountCredit {
  balance: number;
  reserved: number;
  available: number;
  rateDeck: string;
}

export interface RateDeck {
  name: string;
  prefixes: number;
  accounts: number;
  updatedAt: string | null;
}

export interface DeckRate {
  prefix: string;
  description: string;
  minutePrice: number;
  minimumSeconds: number;
  incrementSeconds: number;
  validFrom: string | null;
  validTo: string | null;
}

export interface ImportReport {
  deck: string;
  applied: boolean;
  dryRun: boolean;
  lines: number;
  added: number;
  changed: number;
  unchanged: number;
  absent: number;
  /** At most a thousand. */
  differences: RateDifference[];
  problems: { line: number; problem: string }[];
  problemCount: number;
}

export interface RateDifference {
  prefix: string;
  change: string;
  minutePriceBefore: number | null;
  minutePriceAfter: number | null;
  validFrom: string | null;
}

export interface DeckImport {
  id: number;
  at: string;
  operatorName: string;
  sha256: string;
  lines: number;
  added: number;
  changed: number;
  ended: number;
}

export const numberTitles = ['ASSIGNED', 'PROVEN'] as const;
export type NumberTitle = (typeof numberTitles)[number];

export interface OwnedNumber {
  number: string;
  accountId: number;
  title: NumberTitle | 'INHERITED';
  note: string;
  operatorName: string;
  since: string;
  extensions: number;
}

export interface NumberClaim {
  number: string;
  accountIds: number[];
  since: string;
}

export interface Trunk {
  name: string;
  server: string | null;
  priority: number;
  routes: { prefix: string; costPerMinute: number | null }[];
  maximumCalls: number | null;
  callsPerSecond: number | null;
  states: { switch: string; state: string }[];
}

export interface Switch {
  name: string;
  sipAddress: string;
  capacity: number;
  liveCalls: number;
  state: string;
  seenAt: string | null;
}

export interface DeadLetter {
  sequence: number;
  consumer: string;
  reason: string;
  tries: number;
  deadAt: string;
  eventType: string | null;
  accountId: number | null;
}

export interface OperatorAct {
  id: number;
  at: string;
  operatorName: string;
  act: string;
  method: string;
  path: string;
  accountId: number | null;
  clientIp: string;
  /** Null while it runs, or when its process was lost. */
  status: number | null;
  errorCode: string | null;
}

export interface Operator {
  uuid: string;
  name: string;
  tokenPrefix: string;
  configured: boolean;
  createdAt: string;
  revokedAt: string | null;
}
