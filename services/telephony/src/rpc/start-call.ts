import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { invalid, unprocessable } from '@sabia/service-kit/errors';
import type { NewCall } from '../domain/call';
import type { CallRequest } from '../domain/call-request';
import type { Keeping } from '../domain/keeping';
import type { Dependencies } from './dependencies';

export interface CallToStart {
  caller: Caller;
  wanted: CallRequest;
  keeping: Keeping<NewCall> | undefined;
  dialId?: string;
}

/**
 * What POST /calls and POST /dialer have in common, once the body is read: who calls, whether there is a softphone, then credit.
 * Undefined: there is a call of the same idempotency key.
 */
export async function startCall(
  { extensions, callSwitch, placement }: Dependencies,
  { caller, wanted: { extension: ramal, to, called, metadata }, keeping, dialId }: CallToStart,
): Promise<NewCall | undefined> {
  // Side by side: nearly always the extension is where its account is.
  const [resolved, isThere] = await Promise.all([
    extensions.resolve({ accountId: caller.accountId, ramal }),
    callSwitch.isRegistered({ domain: caller.domain, ramal }),
  ]);
  if (resolved === undefined) {
    const message = 'is not an extension of this account';
    throw invalid('call', [{ field: 'extension', code: 'inclusion', message }]);
  }
  const { extension } = resolved;
  const { domain } = extension;
  if (!(domain === caller.domain ? isThere : await callSwitch.isRegistered({ domain, ramal }))) {
    throw unprocessable('USER_NOT_REGISTERED', 'user not registered');
  }
  return placement.place(
    {
      dialId: dialId ?? null,
      accountId: caller.accountId,
      userId: caller.userId,
      domain,
      timeZone: caller.timeZone,
      type: 'outbound',
      from: ramal,
      to,
      called,
      email: extension.email_address,
      firstName: extension.first_name,
      lastName: extension.last_name,
      bina: extension.bina ?? null,
      metadata,
      record: extension.gravar_audio,
      ramal,
      aChannel: null,
    },
    keeping,
  );
}
