import { RequestPasswordResetResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { isEmail, normalizeEmail } from '@sabia/service-kit/validation/email';
import { Violations, blank } from '@sabia/service-kit/validation/violations';
import { requestMail } from '../storage/mails';
import type { Dependencies, Handler } from './dependencies';

/** Whether a user has this address is looked up when the mail is sent; neither the response nor its timing reveals it. */
export function requestPasswordReset({ database, pokeMails, now }: Dependencies): Handler<'requestPasswordReset'> {
  return async (request) => {
    const address = normalizeEmail(request.email ?? '');
    if (address === '') {
      const violations = new Violations();
      violations.add('email', ...blank);
      violations.throwIfAny('user');
    }
    if (isEmail(address)) {
      await requestMail(database, { template: 'reset-password', address }, now());
      pokeMails();
    }
    return RequestPasswordResetResponse.fromPartial({
      status: 202,
      message: 'If a user has this address, an e-mail is on its way.',
    });
  };
}
