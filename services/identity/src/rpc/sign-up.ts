import { SignUpResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { checkSignUp } from '../domain/sign-up';
import { accountCreated, userCreated } from '../events/published';
import { insertAccount } from '../storage/accounts';
import { requestMail } from '../storage/mails';
import { namingTakenFields, refuseTaken } from '../storage/uniqueness';
import { insertUser } from '../storage/users';
import type { Dependencies, Handler } from './dependencies';

/** Account, ADMIN user, mail and events are one transaction: no half account is ever left. */
export function signUp({
  database,
  outbox,
  passwords,
  pokeMails,
  signUpRules,
  timeZone,
  now,
}: Dependencies): Handler<'signUp'> {
  return async (request, { signal }) => {
    const wanted = checkSignUp(request, signUpRules);
    const refuse = () => refuseTaken(database, 'account', wanted);
    await refuse();
    const passwordHash = await passwords.hash(wanted.password, signal, refuse);

    const creation = database.transaction(async (tx) => {
      const at = now();
      const account = await insertAccount(tx, wanted, { timeZone, now: at });
      const admin = await insertUser(
        tx,
        account.id,
        {
          name: wanted.organizationName,
          email: wanted.email,
          phone: wanted.phone,
          role: 'ADMIN',
          emailVerified: false,
          passwordHash,
        },
        at,
      );
      await requestMail(tx, { template: 'confirm-email', address: admin.email }, at);
      await outbox.write(tx, [accountCreated(account), userCreated(admin)]);
      tx.afterCommit(pokeMails);
    });
    await namingTakenFields('account', creation);

    return SignUpResponse.fromPartial({
      status: 201,
      message: 'Account created. Follow the link in the e-mail that was sent to you to activate it.',
    });
  };
}
