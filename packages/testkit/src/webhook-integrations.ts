import type { StackClient } from './stack-client';

/** An integration as the API shows it. */
export interface IntegrationRecord {
  id: number;
  gateway: string;
  webhook: boolean;
  webhookConstraint: unknown;
  metadata: Record<string, unknown>;
  webhookSecret: string;
  disabledReason: string | null;
}

export interface DeliveryRecord {
  id: string;
  eventType: string;
  callId: string;
  status: string;
  reason: string | null;
  createdAt: string;
  nextAttemptAt: string | null;
  webhookId: string;
  payload: Record<string, unknown>;
  test: boolean;
  attempts: { at: string; status: number | null; latencyMs: number; answer: string | null; error: string | null }[];
}

export interface WebhookWish {
  gateway: string;
  url: string;
  /** Further fields of `metadata`: webhookTypes, webhookVersion… */
  settings?: object;
  /** JSON text, because its numbers may have more digits than JavaScript keeps. */
  constraint?: string;
}

/** Creates or changes the integration of this gateway. */
export async function integrate(
  client: StackClient,
  { gateway, url, settings = {}, constraint }: WebhookWish,
): Promise<IntegrationRecord> {
  const metadata = JSON.stringify({ webhookUrl: url, ...settings });
  const restriction = constraint === undefined ? '' : `,"webhookConstraint":${constraint}`;
  const answer = await client.request<IntegrationRecord>('PATCH', '/integrations', {
    rawBody: `{"gateway":${JSON.stringify(gateway)},"webhook":true,"metadata":${metadata}${restriction}}`,
    headers: { 'content-type': 'application/json' },
  });
  if (answer.status !== 200) throw new Error(`PATCH /integrations answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

/** The newest first. */
export async function listDeliveries(client: StackClient, id: number, where: object): Promise<DeliveryRecord[]> {
  const query = { page: '1', filter: JSON.stringify({ where }) };
  const answer = await client.get<{ data: DeliveryRecord[] }>(`/integrations/${id}/deliveries`, { query });
  if (answer.status !== 200) throw new Error(`the list of deliveries answered ${answer.status}: ${answer.text}`);
  return answer.body.data;
}
