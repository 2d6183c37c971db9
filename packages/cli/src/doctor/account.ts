import type { Integration, Sabia } from '@sabia/client';
import type { Context } from '../context';
import type { Finding } from './finding';

const STREAM_PATIENCE_MS = 10_000;

/** Whether this account can place a call, and hear of it. */
export async function* examineAccount(context: Context, sabia: Sabia): AsyncGenerator<Finding, void, undefined> {
  const { m, format } = context;
  const [user, account] = await Promise.all([sabia.users.me(), sabia.account.get()]);
  yield { state: 'fine', what: m.doctorUser(user.email, account.domain) };

  const { available } = await sabia.credit.balance();
  if (available > 0) yield { state: 'fine', what: m.doctorCredit(format.money(available)) };
  else yield { state: 'fault', what: m.doctorNoCredit(format.money(available)), advice: m.creditAdvice };

  const extensions = await sabia.extensions.list();
  const registered = extensions.filter((each) => each.registered).map(({ ramal }) => ramal);
  if (extensions.length === 0) yield { state: 'fault', what: m.noExtension, advice: m.extensionAdvice };
  else if (registered.length === 0) yield { state: 'hint', what: m.doctorNoPhone, advice: m.phoneAdvice };
  else yield { state: 'fine', what: m.doctorPhones(registered.join(', ')) };

  yield await examineEvents(context, sabia);
  for (const integration of await sabia.webhooks.list()) yield await examineWebhook(context, sabia, integration);
}

/** A proxy that holds answers back lets nothing of the stream through. */
async function examineEvents({ m }: Context, sabia: Sabia): Promise<Finding> {
  const heard = new AbortController();
  const signal = AbortSignal.any([heard.signal, AbortSignal.timeout(STREAM_PATIENCE_MS)]);
  await sabia.events({ signal, onCursor: () => heard.abort() }).next();
  return heard.signal.aborted
    ? { state: 'fine', what: m.doctorEvents }
    : { state: 'fault', what: m.doctorNoEvents, advice: m.doctorEventsAdvice };
}

async function examineWebhook({ m }: Context, sabia: Sabia, { id, gateway }: Integration): Promise<Finding> {
  const { state } = await sabia.webhooks.health(id);
  const fine = ['healthy', 'off'].includes(state);
  return fine
    ? { state: 'fine', what: m.doctorWebhook(gateway, state) }
    : { state: 'hint', what: m.doctorWebhook(gateway, state), advice: m.webhookAdvice(gateway) };
}
