import { ExtensionDisplaced } from '@sabia/protos/sabia/telephony/v1/events';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/consumer';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { markDisplaced } from '../storage/registrations';

export async function onExtensionDisplaced({ payload, occurredAt }: ReceivedEvent, tx: Transaction): Promise<void> {
  const { domain, ramal, at } = ExtensionDisplaced.decode(payload);
  await markDisplaced(tx, { domain, ramal }, at ?? occurredAt);
}
