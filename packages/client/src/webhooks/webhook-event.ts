/** What every webhook holds. */
interface CallFields<Type extends string> {
  /** The version that the integration has chosen. */
  version: string;
  eventType: Type;
  /** Of the call. */
  id: string;
  domain: string;
  direction: 'inbound' | 'outbound';
  caller: string;
  called: string;
  /** Times are `YYYY-MM-DD HH:MM:SS` in the time zone of the account. */
  startedAt: string;
  metadata: Record<string, unknown>;
  /** Of the event: the same in all integrations that hear of it. */
  eventId: string;
  /** ISO 8601 in UTC. */
  occurredAt: string;
  /** Aliases of eventType and id. */
  type: Type;
  event: Type;
  callId: string;
}

/** A call that is over. */
interface EndedCallFields<Type extends string> extends CallFields<Type> {
  answeredAt?: string | null;
  endedAt: string;
  /** Seconds. */
  duration: number;
  hangupCause?: string | null;
  hangupCauseCode?: string | null;
  recordUrl?: string | null;
}

/** The body of a webhook; `eventType` tells which one. Fields that may be missing are null for integrations with `webhookNulls`. */
export type WebhookEvent =
  | CallFields<'channel-create'>
  | (CallFields<'channel-answer'> & { answeredAt: string })
  | EndedCallFields<'channel-hangup'>
  | EndedCallFields<'call-recorded'>
  | (EndedCallFields<'call-priced'> & {
      /** In reais. */
      minutePrice: number;
      callPrice: number;
      billedSeconds: number;
    });
