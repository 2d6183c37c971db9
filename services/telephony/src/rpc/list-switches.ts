import { ListSwitchesResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import type { Switch } from '@sabia/protos/sabia/telephony/v1/messages';
import type { RegisteredSwitch } from '../domain/switch-node';
import { listSwitches as readSwitches } from '../storage/switch-registry';
import type { Dependencies, Handler } from './dependencies';

export function listSwitches({ database }: Dependencies): Handler<'listSwitches'> {
  return async (_request, context) => {
    requireOperator(context);
    return ListSwitchesResponse.fromPartial({ switches: (await readSwitches(database)).map(toSwitch) });
  };
}

export const toSwitch = (known: RegisteredSwitch): Switch => ({
  name: known.name,
  sipAddress: known.sipHost.includes(':') ? `[${known.sipHost}]:${known.sipPort}` : `${known.sipHost}:${known.sipPort}`,
  capacity: known.capacity,
  liveCalls: known.liveCalls,
  state: known.state,
  held: known.isHeld,
  seenAt: known.seenAt ?? undefined,
});
