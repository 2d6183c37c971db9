import { SetSwitchStateResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { invalid, notFound } from '@sabia/service-kit/errors';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { holdSwitch } from '../storage/switch-registry';
import type { Dependencies, Handler } from './dependencies';
import { toSwitch } from './list-switches';

/** Holds until it is taken back, also over restarts of the switch. A switch that drains by itself goes on doing so. */
export function setSwitchState({ database }: Dependencies): Handler<'setSwitchState'> {
  return async ({ name, state }, context) => {
    requireOperator(context);
    if (state !== 'active' && state !== 'draining') {
      throw invalid('switch', [{ field: 'state', code: 'inclusion', message: 'is neither active nor draining' }]);
    }
    const known = await holdSwitch(database, name, state === 'draining');
    if (known === undefined) {
      throw notFound('switch', name);
    }
    return SetSwitchStateResponse.fromPartial({ switch: toSwitch(known) });
  };
}
