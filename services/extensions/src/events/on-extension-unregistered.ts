import { ExtensionUnregistered } from '@sabia/protos/sabia/telephony/v1/events';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/consumer';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { markUnregistered } from '../storage/registrations';

export async function onExtensionUnregistered({ payload, occurredAt }: ReceivedEvent, tx: Transaction): Promise<void> {
  const { domain, ramal, at } = ExtensionUnregistered.decode(payload);
  await markUnregistered(tx, { domain, ramal }, at ?? occurredAt);
}
