/** What webhook tells of a webhook to which it sends nothing any more. */
export interface DisabledWebhook {
  integrationId: number;
  /** What the user calls it. */
  gateway: string;
  reason: string;
}
