import { ResendConfirmationResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { isEmail, normalizeEmail } from '@sabia/service-kit/validation/email';
import { requestMail } from '../storage/mails';
import type { Dependencies, Handler } from './dependencies';

/** Whether a user waits for a confirmation at this address is looked up when the mail is sent; neither the response nor its timing reveals it. */
export function resendConfirmation({ database, pokeMails, now }: Dependencies): Handler<'resendConfirmation'> {
  return async (request) => {
    const address = normalizeEmail(request.email ?? '');
    if (isEmail(address)) {
      await requestMail(database, { template: 'confirm-email', address }, now());
      pokeMails();
    }
    return ResendConfirmationResponse.fromPartial({
      status: 202,
      message: 'If this address waits for its confirmation, an e-mail is on its way.',
    });
  };
}
