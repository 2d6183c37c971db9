/** The details of a disabled webhook. */
export interface DisabledWebhook {
  integrationId: number;
  /** The user's name for it. */
  gateway: string;
  reason: string;
}
