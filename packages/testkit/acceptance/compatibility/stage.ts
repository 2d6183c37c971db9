import type { Call } from '@sabia/client';
import { request } from 'undici';
import { startCallingUser, type CallingUser } from '../../src/calling-user';
import { SipLine } from '../../src/softphone/sip-line';
import type { TestStack } from '../../src/test-stack';
import { openWebhookInbox, type ReceivedWebhook, type WebhookInbox } from '../../src/webhook-inbox';
import { integrate } from '../../src/webhook-integrations';

/** A company that has moved over: a softphone, two receivers, and one call that was answered, recorded and reported. */
export interface Stage extends Pick<CallingUser, 'api' | 'email'> {
  ramal: string;
  call: Call;
  answer: ReceivedWebhook;
  hangup: ReceivedWebhook;
  /** The same channel-answer at a receiver that asked for nulls. */
  nulls: ReceivedWebhook;
  secret: string;
  /** A URL that expects no webhooks. */
  unusedUrl: string;
  busy: string;
  rings: string;
  /** Fetches the bytes behind a link without a token. */
  fetchAudio(url: string): Promise<Buffer>;
  /** A new extension, registered over a WebSocket at the root of the gateway. */
  webPhone(ramal: string): Promise<SipLine>;
  close(): Promise<void>;
}

export async function openStage(stack: TestStack): Promise<Stage> {
  const inbox = await openWebhookInbox();
  const user = await startCallingUser(stack, { recorded: true });
  const { webhookSecret } = await integrate(user.api(), { gateway: 'crm', url: inbox.urlOf('/crm') });
  const settings = { webhookNulls: true };
  await integrate(user.api(), { gateway: 'nulls', url: inbox.urlOf('/nulls'), settings });

  const id = await user.place('+55 (11) 5550-0101');
  await user.untilTalked(id);
  await user.api().post(`/calls/${id}/hangup`);
  const [answer, hangup] = await inbox.waitFor('/crm', id, 2);
  const [nulls] = await inbox.waitFor('/nulls', id, 1);
  return {
    ...{ api: user.api, email: user.email, ramal: '2000', secret: webhookSecret!, unusedUrl: inbox.urlOf('/unused') },
    ...{ busy: stack.testNumbers.busy, rings: stack.testNumbers.ring },
    call: await user.call(id),
    answer: answer!,
    hangup: hangup!,
    nulls: nulls!,
    fetchAudio,
    webPhone: (ramal) => openWebPhone(user, ramal),
    close: () => close(user, inbox),
  };
}

async function fetchAudio(url: string): Promise<Buffer> {
  const answer = await request(url);
  if (answer.statusCode !== 200) throw new Error(`the link answered ${answer.statusCode}: ${await answer.body.text()}`);
  return Buffer.from(await answer.body.arrayBuffer());
}

async function openWebPhone({ api, domain }: CallingUser, ramal: string): Promise<SipLine> {
  const extension = { ramal, senha: `segredo-da-web-${ramal}` };
  await api().post('/extensions', extension);
  const line = await SipLine.open({ transport: 'WS', server: `${api().gatewayUrl.replace('http', 'ws')}/` });
  expect(await line.register({ ...extension, domain })).toBe(200);
  return line;
}

async function close(user: CallingUser, inbox: WebhookInbox): Promise<void> {
  await user.stop();
  await inbox.close();
}
