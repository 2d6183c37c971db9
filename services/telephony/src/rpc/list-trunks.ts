import { ListTrunksResponse } from '@sabia/protos/sabia/telephony/v1/operator';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import type { Trunk, TrunkState } from '../domain/trunk';
import type { Dependencies, Handler } from './dependencies';

export function listTrunks({ trunks, trunkStates }: Dependencies): Handler<'listTrunks'> {
  return async (_request, context) => {
    requireOperator(context);
    const states = await trunkStates();
    return ListTrunksResponse.fromPartial({ trunks: trunks.map((trunk) => toMessage(trunk, states)) });
  };
}

/** Without the credentials. */
const toMessage = (trunk: Trunk, states: TrunkState[]) => ({
  name: trunk.name,
  server: trunk.server,
  transport: trunk.transport,
  format: trunk.format,
  prefix: trunk.prefix ?? '',
  callerId: trunk.callerId,
  priority: trunk.priority ?? 0,
  routes: trunk.routes ?? [],
  maximumCalls: trunk.maximumCalls,
  callsPerSecond: trunk.callsPerSecond,
  register: trunk.register ?? false,
  inbound: trunk.inbound ?? [],
  states: states
    .filter((each) => each.trunk === trunk.name)
    .map(({ switchName, state }) => ({ switch: switchName, state })),
});
