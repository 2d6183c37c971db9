import { SignUpResponse } from '@sabia/protos/sabia/identity/v1/messages';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import type { CountryCode } from 'libphonenumber-js/max';
import { checkSignUp } from '../domain/sign-up';
import type { SignUp } from '../domain/sign-up';
import { expireSignUps } from '../events/expired-sign-ups';
import { accountCreated, accountUpdated, userCreated } from '../events/published';
import { insertAccount } from '../storage/accounts';
import { requestMail } from '../storage/mails';
import { renewSignUp } from '../storage/sign-ups';
import { holdNames } from '../storage/uniqueness';
import { insertUser } from '../storage/users';
import type { Dependencies, Handler } from './dependencies';
import { namingTakenFields, refuseTaken } from './taken-names';

/**
 * Account, ADMIN user, mail and events are one transaction: no half account is ever left. Until it is confirmed, the account takes the
 * e-mail from no other user, and the domain for a few days only.
 */
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
    const refuse = () => refuseTaken(database, 'account', wanted, now());
    await refuse();
    const passwordHash = await passwords.hash(wanted.password, signal, refuse);

    const creation = database.transaction(async (tx) => {
      const at = now();
      await holdNames(tx, [wanted.email, wanted.domain]);
      await refuseTaken(tx, 'account', wanted, at);
      await expireSignUps(tx, outbox, at, wanted.domain);
      const { userId, events } = await write(tx, wanted, {
        passwordHash,
        timeZone,
        country: signUpRules.phoneCountry,
        now: at,
      });
      await requestMail(tx, { template: 'confirm-email', address: wanted.email, userId }, at);
      await outbox.write(tx, events);
      tx.afterCommit(pokeMails);
    });
    await namingTakenFields('account', creation);

    return SignUpResponse.fromPartial({
      status: 201,
      message: 'Account created. Follow the link in the e-mail that was sent to you to activate it.',
    });
  };
}

async function write(
  tx: Transaction,
  wanted: SignUp,
  { passwordHash, timeZone, country, now }: { passwordHash: string; timeZone: string; country: CountryCode; now: Date },
): Promise<{ userId: number; events: OutgoingEvent[] }> {
  const renewed = await renewSignUp(tx, wanted, passwordHash, now);
  if (renewed !== undefined) {
    return { userId: renewed.userId, events: [accountUpdated(renewed.account, country)] };
  }
  const account = await insertAccount(tx, wanted, { timeZone, now });
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
    now,
  );
  return { userId: admin.id, events: [accountCreated(account, country), userCreated(admin)] };
}
