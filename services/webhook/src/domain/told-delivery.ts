/** What has happened to a delivery, as its account is told. */
export interface ToldDelivery {
  accountId: number;
  deliveryId: string;
  integrationId: number;
  eventType: string;
  callId: string | null;
  status: 'delivered' | 'retrying' | 'dead' | 'not-matched';
  reason?: string;
  responseStatus?: number;
  latencyMs?: number;
  nextAttemptAt?: Date;
  test: boolean;
  at: Date;
}
