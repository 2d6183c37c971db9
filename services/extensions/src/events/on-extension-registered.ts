import { ExtensionRegistered } from '@sabia/protos/sabia/telephony/v1/events';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/consumer';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { markRegistered } from '../storage/registrations';

export async function onExtensionRegistered({ payload, occurredAt }: ReceivedEvent, tx: Transaction): Promise<void> {
  const { domain, ramal, at } = ExtensionRegistered.decode(payload);
  await markRegistered(tx, { domain, ramal }, at ?? occurredAt);
}
