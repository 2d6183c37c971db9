import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { invalid, unprocessable } from '@sabia/service-kit/errors';
import type { NewCall } from '../domain/call';
import type { CallRequest } from '../domain/call-request';
import type { Dependencies } from './dependencies';

/** What POST /calls and POST /dialer have in common, once the body is read: who calls, whether there is a softphone, then credit. */
export async function startCall(
  { extensions, callSwitch, placement }: Dependencies,
  caller: Caller,
  { extension: ramal, called, metadata }: CallRequest,
  dialId: string | null = null,
): Promise<NewCall> {
  const resolved = await extensions.resolve({ accountId: caller.accountId, ramal });
  if (resolved === undefined) {
    const message = 'is not an extension of this account';
    throw invalid('call', [{ field: 'extension', code: 'inclusion', message }]);
  }
  const { extension } = resolved;
  if (!(await callSwitch.isRegistered({ domain: extension.domain, ramal }))) {
    throw unprocessable('USER_NOT_REGISTERED', 'user not registered');
  }
  return placement.place({
    dialId,
    accountId: caller.accountId,
    userId: caller.userId,
    domain: extension.domain,
    timeZone: caller.timeZone,
    type: 'outbound',
    from: ramal,
    to: called,
    email: extension.email_address,
    firstName: extension.first_name,
    lastName: extension.last_name,
    bina: extension.bina ?? null,
    metadata,
    record: extension.gravar_audio,
    ramal,
    aChannel: null,
  });
}
