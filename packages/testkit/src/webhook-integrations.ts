import type { Delivery, Integration } from '@sabia/client';
import type { StackClient } from './stack-client';

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
): Promise<Integration> {
  const metadata = JSON.stringify({ webhookUrl: url, ...settings });
  const restriction = constraint === undefined ? '' : `,"webhookConstraint":${constraint}`;
  const answer = await client.request<Integration>('PATCH', '/integrations', {
    rawBody: `{"gateway":${JSON.stringify(gateway)},"webhook":true,"metadata":${metadata}${restriction}}`,
    headers: { 'content-type': 'application/json' },
  });
  if (answer.status !== 200) throw new Error(`PATCH /integrations answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

/** The newest first. */
export async function listDeliveries(
  client: StackClient,
  id: number,
  where: Record<string, unknown>,
): Promise<Delivery[]> {
  return (await client.sabia.webhooks.deliveries(id, { filter: { where } }).page(1)).data;
}
