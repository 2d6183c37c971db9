import type { CallPriced, CallRecorded, ChannelAnswer, ChannelCreate, ChannelHangup } from '../generated/types.gen';

/** The body of a webhook; `eventType` tells which one. Integrations with `webhookNulls` get null where a field would be missing. */
export type WebhookEvent = ChannelCreate | ChannelAnswer | ChannelHangup | CallRecorded | CallPriced;
