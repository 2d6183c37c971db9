import type { CallingUser } from '../calling-user';
import { dayAhead } from '../credit';
import { createMailbox, linkIn } from '../mailbox';
import { createUser, newEmail, newUser } from '../people';
import { confirm, confirmationLink, signUpBody } from '../sign-up';
import type { TestStack } from '../test-stack';
import { integrate } from '../webhook-integrations';

/** What is sent in place of the document's example. */
export interface Fitting {
  segments?: string[];
  query?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  body?: unknown;
  token?: string;
}

export interface Fixtures {
  stack: TestStack;
  /** An ADMIN whose extension has a registered softphone. */
  user: CallingUser;
  ramal: string;
  extensionId: number;
  /** An ended call with a recording. */
  callId: string;
  integrationId: number;
  webhookUrl: string;
}

/** For each operation that its example alone cannot bring to success: a request about things that exist, in the state that it needs. */
export function fittingRequests(fixtures: Fixtures): Record<string, () => Promise<Fitting>> {
  return { ...forAccounts(fixtures), ...forMoney(fixtures), ...forCalls(fixtures), ...forWebhooks(fixtures) };
}

function forAccounts({ stack, user, extensionId }: Fixtures): Record<string, () => Promise<Fitting>> {
  const { email, password } = user;
  const person = () => createUser(user);
  const tokenIn = (link: string) => new URL(link).searchParams.get('token');
  const mailedTo = async (address: string, path: string) =>
    linkIn(await createMailbox(stack.mailboxUrl).waitForMail(address, ({ text }) => text.includes(path)), path);
  const nextExtension = async () => String((await user.api().sabia.extensions.createNext()).id);

  return {
    upsertExtension: async () => ({ body: { id: extensionId, gravar_audio: 1 } }),
    deleteExtension: async () => ({ segments: [await nextExtension()] }),
    signUp: async () => ({ body: signUpBody() }),
    async confirmEmail() {
      const body = signUpBody();
      await user.api().sabia.account.signUp(body);
      const token = tokenIn(await confirmationLink(stack.mailboxUrl, body.email));
      return { body: { token, password: body.password } };
    },
    async undoEmailChange() {
      const someone = await person();
      const changed = newEmail();
      await someone.api().sabia.users.update({ email: changed, currentPassword: someone.password });
      await confirm(user.api(), await confirmationLink(stack.mailboxUrl, changed), someone.password);
      const token = tokenIn(await mailedTo(someone.email, '/users/undo-email-change'));
      return { body: { token, password: someone.password } };
    },
    async resetPassword() {
      const someone = await person();
      await user.api().sabia.users.requestPasswordReset(someone.email);
      const token = tokenIn(await mailedTo(someone.email, '/users/reset-password'));
      return { body: { token, password: someone.password } };
    },
    async changePassword() {
      const someone = await person();
      return { token: someone.token, body: { currentPassword: someone.password, password: `new-${someone.password}` } };
    },
    login: async () => ({ body: { email, password } }),
    createSession: async () => ({ headers: { 'x-sabia-console': '1' }, body: { email, password } }),
    createUser: async () => ({ body: newUser() }),
    updateUser: async () => ({ body: { uuid: (await person()).uuid, name: 'Ana Souza' } }),
    deleteUser: async () => ({ segments: [(await person()).uuid] }),
    async revokeAccessToken() {
      const { id } = await user.api().sabia.tokens.create({ ttl: 600 });
      return { segments: [id.slice(0, 8)] };
    },
  };
}

function forMoney({ user }: Fixtures): Record<string, () => Promise<Fitting>> {
  const chargeIn = async (status: string) => {
    const [charge] = await user
      .api()
      .sabia.charges.list({ filter: { where: { status } } })
      .take(1);
    return { segments: [String(charge?.id)] };
  };
  return {
    createCharge: async () => ({ body: { paymentMethod: 'PIX', dueDate: dayAhead(2), amount: 100, description: '' } }),
    getCharge: () => chargeIn('RECEIVED'),
    // What createCharge has left.
    cancelCharge: () => chargeIn('PENDING'),
    async getFinancialAccount() {
      await user.api().sabia.account.financial.create({ cpfCnpj: '11222333000181' });
      return {};
    },
  };
}

function forCalls({ stack, user, ramal, callId }: Fixtures): Record<string, () => Promise<Fitting>> {
  const called = stack.testNumbers.answer;
  /** Places the only call, so that the softphone is free for it. */
  async function place(): Promise<string> {
    const others = await user.api().sabia.calls.live();
    // One that has ended meanwhile is a refusal.
    await Promise.all(others.map(({ id }) => user.api().post(`/calls/${id}/hangup`)));
    await Promise.all(others.map(({ id }) => user.callWhen(id, ({ status }) => status === 'ended')));
    return user.place(called);
  }
  const live = async () => ({ segments: [await place()] });
  async function answered(): Promise<string> {
    const id = await place();
    await user.untilTalked(id);
    return id;
  }
  return {
    placeCall: async () => ({ body: { extension: ramal, called } }),
    dial: async () => ({ body: { extension: ramal, phone: called } }),
    hangUp: live,
    hangUpByBody: async () => ({ body: { id: await place() } }),
    cancelDial: live,
    transferCall: async () => ({ segments: [await answered()], body: { to: ramal } }),
    leaveCall: async () => ({ segments: [await answered()], body: { extension: ramal } }),
    getLiveCall: live,
    async getNumberProof() {
      const { id } = await user.api().sabia.numbers.prove(stack.testNumbers.busy);
      return { segments: [id] };
    },
    async getRecording() {
      const url = new URL((await user.callWhen(callId, ({ record_url }) => record_url !== null)).record_url!);
      return {
        segments: [url.pathname.split('/').at(-1)!],
        query: Object.fromEntries(url.searchParams),
        headers: {},
      };
    },
  };
}

function forWebhooks({ user, integrationId, webhookUrl }: Fixtures): Record<string, () => Promise<Fitting>> {
  const id = String(integrationId);
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString();
  const span = { from: day(-1), to: day(1), status: 'delivered' } as const;
  return {
    replayDeliveries: async () => ({ segments: [id], body: span }),
    async getReplay() {
      const { replayId } = await user.api().sabia.webhooks.replay(integrationId, span);
      return { segments: [id, replayId] };
    },
    async deleteIntegration() {
      const other = await integrate(user.api(), { gateway: 'to be deleted', url: webhookUrl });
      return { segments: [String(other.id)] };
    },
  };
}
