import type { Call } from '@sabia/client';
import { topUp } from './credit';
import { eventually } from './eventually';
import { logIn } from './people';
import { signUpUser, type SignedUpUser } from './sign-up';
import { Softphone } from './softphone/softphone';
import type { StackClient } from './stack-client';
import type { TestStack } from './test-stack';

/** A user with credit and one extension, whose softphone is registered. */
export interface CallingUser extends SignedUpUser {
  softphone: Softphone;
  /** A client with an unused address. */
  api(): StackClient;
  /** Places a call; the metadata is sent as it is written. */
  place(called: string, metadata?: string): Promise<string>;
  call(id: string): Promise<Call>;
  /** Waits until the softphone hears sound and the call lasted long enough to cost something. */
  untilTalked(id: string): Promise<void>;
  callWhen(id: string, is: (call: Call) => boolean): Promise<Call>;
  stop(): Promise<void>;
}

export interface CallingUserOptions {
  credit?: number;
  recorded?: boolean;
  ramal?: string;
  /** The account's time zone. */
  timeZone?: string;
}

export async function startCallingUser(
  stack: TestStack,
  { credit = 50, recorded = false, ramal = '2000', timeZone }: CallingUserOptions = {},
): Promise<CallingUser> {
  const user = await signUpUser(stack);
  let client = user.client;
  if (timeZone !== undefined) {
    await client.sabia.account.update({ timeZone });
    // A new token, because gateways cache the former time zone with the others for a while.
    client = await logIn(client, user.email, user.password);
  }
  const api = () => client.fromAnotherAddress();
  await topUp(api(), credit);
  const extension = { ramal, senha: `segredo-${ramal}`, first_name: 'Ana', last_name: 'Silva' };
  await api().sabia.extensions.create({
    ...extension,
    email_address: user.email,
    gravar_audio: recorded ? 1 : 0,
  });
  const phone = await Softphone.start({ ...extension, domain: user.domain, server: stack.sip?.udp ?? '' });
  await phone.waitRegistered();
  await eventually(async () => (await api().sabia.extensions.list())[0]?.registered);

  const call = (id: string) => api().sabia.calls.get(id);
  return {
    ...user,
    token: client.token ?? '',
    client,
    softphone: phone,
    api,
    call,
    async place(called, metadata) {
      const fields = `"caller":"${ramal}","called":"${called}","extension":"${ramal}"`;
      const rawBody = metadata === undefined ? `{${fields}}` : `{${fields},"metadata":${metadata}}`;
      const placed = await api().request<{ id: string }>('POST', '/calls', {
        rawBody,
        headers: { 'content-type': 'application/json' },
      });
      if (placed.status !== 200) throw new Error(`POST /calls answered ${placed.status}: ${placed.text}`);
      return placed.body.id;
    },
    async untilTalked(id) {
      await phone.waitFor('CALL_RTPESTAB');
      await eventually(async () => {
        const { answered_at } = await call(id);
        return answered_at !== null && Date.now() - Date.parse(answered_at) > 1_500;
      });
    },
    callWhen: (id, is) =>
      eventually(
        async () => {
          const record = await call(id);
          return is(record) && record;
        },
        { intervalMs: 100 },
      ),
    stop: () => phone.stop(),
  };
}
