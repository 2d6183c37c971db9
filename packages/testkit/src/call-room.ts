import type { Call } from '@sabia/client';
import { topUp } from './credit';
import type { StackFile } from '@sabia/embedded/stack/stack-file';
import { eventually } from './eventually';
import { operatorDesk } from './operator-desk';
import { signUpUser } from './sign-up';
import type { StackClient } from './stack-client';
import { openWebhookInbox } from './webhook-inbox';

/** The body of a webhook about a call. */
export interface CallWebhook {
  eventType: string;
  id: string;
  direction: string;
  caller: string;
  called: string;
  startedAt: string;
  answeredAt?: string;
  endedAt?: string;
  duration?: number;
  hangupCause?: string;
  hangupCauseCode?: string;
  recordUrl?: string;
  metadata: unknown;
}

/** Credentials of a phone. */
export interface PhoneAccount {
  domain: string;
  ramal: string;
  senha: string;
}

export interface CallRoom {
  domain: string;
  /** Of its user. */
  email: string;
  password: string;
  /** A client with an unused address. */
  api(): StackClient;
  /** The bina belongs to the account from then on. */
  addExtension(options?: { bina?: string }): Promise<PhoneAccount>;
  place(ramal: string, called: string, metadata?: Record<string, unknown>): Promise<string>;
  hangUp(id: string): Promise<number>;
  /** Waits until the record satisfies the condition. */
  when(id: string, is: (call: Call) => boolean): Promise<Call>;
  calls(where: Record<string, unknown>): Promise<Call[]>;
  /** Waits for webhooks of all these types about a call; returns them in the order of arrival. */
  webhooks(id: string, types: readonly string[]): Promise<CallWebhook[]>;
  close(): Promise<void>;
}

const HOOK = '/calls';
const FIRST_RAMAL = 2000;
const PATIENCE = { intervalMs: 100 };

/** An account with credit whose calls are recorded and reported to a webhook receiver. */
export async function openCallRoom(
  stack: Pick<StackFile, 'gatewayUrl' | 'mailboxUrl' | 'operator'>,
): Promise<CallRoom> {
  const user = await signUpUser(stack);
  const inbox = await openWebhookInbox();
  const api = () => user.client.fromAnotherAddress();
  await topUp(api(), 50);
  await api().sabia.webhooks.create({
    ...{ gateway: 'calls', webhook: true },
    metadata: {
      webhookUrl: inbox.urlOf(HOOK),
      webhookTypes: ['channel-create', 'channel-answer', 'channel-hangup', 'call-recorded'],
    },
  });
  let extensions = 0;

  return {
    domain: user.domain,
    email: user.email,
    password: user.password,
    api,
    async addExtension({ bina } = {}) {
      const ramal = String(FIRST_RAMAL + extensions++);
      const senha = `segredo-${ramal}`;
      const person = { first_name: 'Ana', last_name: 'Silva', email_address: user.email, gravar_audio: 1 } as const;
      await api().sabia.extensions.create({ ...person, ramal, senha, bina });
      if (bina !== undefined) await ownNumber(stack, user.domain, bina);
      return { domain: user.domain, ramal, senha };
    },
    async place(extension, called, metadata = {}) {
      return (await api().sabia.calls.create({ extension, called, metadata })).id;
    },
    hangUp: async (id) => (await api().post(`/calls/${id}/hangup`)).status,
    when: (id, is) =>
      eventually(async () => {
        const call = await api().sabia.calls.get(id);
        if (!is(call)) throw new Error(`the call is ${JSON.stringify(call)}`);
        return call;
      }, PATIENCE),
    calls: async (where) => (await api().sabia.calls.list({ filter: { where } }).page(1)).data,
    webhooks: (id, types) =>
      eventually(() => {
        const came = inbox
          .received(HOOK)
          .map(({ payload }) => payload as unknown as CallWebhook)
          .filter((webhook) => webhook.id === id);
        const missing = types.filter((type) => !came.some(({ eventType }) => eventType === type));
        if (missing.length > 0) throw new Error(`${missing.join()} of ${id} did not come`);
        return came;
      }, PATIENCE),
    close: () => inbox.close(),
  };
}

async function ownNumber(stack: Pick<StackFile, 'operator'>, domain: string, bina: string): Promise<void> {
  const desk = operatorDesk(stack);
  const assigned = await desk.put(`/numbers/${bina}`, { accountId: await desk.accountOf(domain) });
  await desk.client.close();
  if (assigned.status !== 200) throw new Error(`PUT /numbers answered ${assigned.status}: ${assigned.text}`);
}
