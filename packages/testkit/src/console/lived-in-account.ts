import type { Call } from '@sabia/client';
import { dayAhead, topUp } from '../credit';
import { eventually } from '../eventually';
import { createAdmin, createUser, type Person } from '../people';
import { PhoneBank } from '../softphone/phone-bank';
import type { StackClient } from '../stack-client';
import { openWebhookInbox, type WebhookInbox } from '../webhook-inbox';
import { integrate, listDeliveries } from '../webhook-integrations';

export interface LivedInStack {
  gatewayUrl: string;
  mailboxUrl: string;
  sip: { udp: string } | null;
  testNumbers: { answer: string; busy: string; unallocated: string };
}

/** The ids that stand in the addresses of pages. */
export interface LivedInAccount {
  admin: Person & { domain: string };
  /** A USER of the account. */
  user: Person;
  /** Answered, recorded and priced. */
  callId: string;
  /** The callee was busy. */
  busyCallId: string;
  /** An integration whose receiver takes everything, and one whose receiver refuses everything. */
  integrationId: number;
  brokenIntegrationId: number;
  extensionId: number;
  /** Not paid yet. */
  chargeId: number;
  dueDate: string;
  close(): Promise<void>;
}

/** What people wrote into the account's text fields; the same text everywhere unless names are given. */
export type Wording = (field: string) => string;

const RAMAL = '2000';
const senha = 'segredo-2000';
const everyType = ['channel-create', 'channel-answer', 'channel-hangup', 'call-recorded'];

/** An account in which something of every kind has happened: calls, a recording, failed webhooks, charges, users. */
export async function openLivedInAccount(stack: LivedInStack, wording: Wording): Promise<LivedInAccount> {
  const [inbox, phones] = await Promise.all([openWebhookInbox(), PhoneBank.open({ server: stack.sip?.udp ?? '' })]);
  const close = async (): Promise<void> => {
    phones.end();
    await inbox.close();
  };
  try {
    const admin = await createAdmin(stack, { organization_name: wording('Padaria Aurora') });
    const api = () => admin.api();
    const user = await createUser(admin);
    await api().sabia.users.update({ uuid: user.uuid, name: wording('Bruno Carvalho') });
    await topUp(api(), 50);
    const dueDate = dayAhead(3);
    const chargeId = await openCharge(api(), dueDate, wording);
    const extensionId = await addExtension(api(), RAMAL, wording);
    await addExtension(api(), '2001', wording);
    if (stack.sip) await phones.register({ domain: admin.domain, ramal: RAMAL, senha });
    const integrations = await connectReceivers(api, inbox, wording);
    const calls = await makeCalls(api, stack.testNumbers, wording);
    await eventually(async () => {
      const deliveries = await listDeliveries(api(), integrations.brokenIntegrationId, {});
      return deliveries.some(({ attempts }) => attempts.length > 0);
    });
    return { admin, user, ...calls, ...integrations, extensionId, chargeId, dueDate, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** One call that is answered, recorded and priced, one to a busy callee, one to a number that does not exist. */
async function makeCalls(api: () => StackClient, numbers: LivedInStack['testNumbers'], wording: Wording) {
  const metadata = { lead: wording('Maria da Luz'), campaign: { name: wording('Primavera'), tags: ['a', 'b'] } };
  const place = async (called: string): Promise<string> =>
    (await api().sabia.calls.create({ extension: RAMAL, called, metadata })).id;
  const when = (id: string, is: (call: Call) => boolean) => eventually(async () => is(await api().sabia.calls.get(id)));
  const callId = await place(numbers.answer);
  await when(callId, ({ status }) => status === 'answered');
  const busyCallId = await place(numbers.busy);
  await when(busyCallId, ({ status }) => status === 'ended');
  await when(await place(numbers.unallocated), ({ status }) => status === 'ended');
  await api().sabia.calls.hangUp(callId);
  await when(callId, (call) => call.call_price !== null && call.record_url !== null);
  return { callId, busyCallId };
}

async function openCharge(client: StackClient, dueDate: string, wording: Wording): Promise<number> {
  const description = wording('Crédito de novembro');
  return (await client.sabia.charges.create({ paymentMethod: 'PIX', amount: 120, dueDate, description })).id;
}

async function connectReceivers(api: () => StackClient, inbox: WebhookInbox, wording: Wording) {
  inbox.answer('/broken', (response) => response.writeHead(500).end(wording('O banco de dados está fora do ar')));
  const settings = { webhookTypes: everyType };
  const good = await integrate(api(), { gateway: wording('CRM da loja'), url: inbox.urlOf('/calls'), settings });
  const gateway = `${wording('Planilha')}-2`;
  const broken = await integrate(api(), { gateway, url: inbox.urlOf('/broken'), settings });
  return { integrationId: good.id, brokenIntegrationId: broken.id };
}

async function addExtension(client: StackClient, ramal: string, wording: Wording): Promise<number> {
  const person = { first_name: wording('Ana Beatriz'), last_name: wording('de Albuquerque') };
  const body = { ...person, ramal, senha, gravar_audio: 1, email_address: 'ana.beatriz@example.com' } as const;
  return (await client.sabia.extensions.create(body)).id;
}
