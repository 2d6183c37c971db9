import { connect } from 'nats';
import { Client } from 'pg';
import { topUp } from '../src/credit';
import { eventually } from '../src/eventually';
import { promised } from '../src/promised';
import { fastest } from '../src/fastest';
import { signUpUser, type SignedUpUser } from '../src/sign-up';
import { SipLine } from '../src/softphone/sip-line';
import { Softphone } from '../src/softphone/softphone';
import { testStack } from '../src/test-stack';
import { WebPhone } from '../src/web-phone/web-phone';

interface Extension {
  id: number;
  domain: string;
  ramal: string;
  senha: string;
  registered: boolean;
  registered_at: string | null;
}

const person = { first_name: 'Ana', last_name: 'Silva', email_address: 'ana@example.com' };
const { sip } = testStack();

async function create(user: SignedUpUser, senha: string, ramal = '2000'): Promise<Extension> {
  const created = await user.client.post<Extension>('/extensions', { ...person, ramal, senha });
  expect(created.status).toBe(200);
  return created.body;
}

async function isRegistered(user: SignedUpUser, { id }: Extension): Promise<boolean> {
  return (await user.client.get<Extension>(`/extensions/${id}`)).body.registered;
}

/** Number of softphones that are registered as the extension. */
async function contactsOf({ ramal, domain }: Extension): Promise<number> {
  const client = new Client({ connectionString: testStack().postgresUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM sip.contacts WHERE endpoint = $1', [`${ramal}@${domain}`]);
    return rowCount ?? 0;
  } finally {
    await client.end();
  }
}

const phoneOf = ({ domain, ramal }: Extension, senha: string) =>
  Softphone.start({ domain, ramal, senha, server: sip?.udp ?? '' });

describe('a created extension', () => {
  const phones: Softphone[] = [];

  it('registers a softphone at once, under its own account alone, and only with its senha', async () => {
    const [one, other] = [await signUpUser(testStack()), await signUpUser(testStack())];
    const mine = await create(one, 'segredo-todo-meu');
    const theirs = await create(other, 'segredo-deles');

    const phone = await phoneOf(mine, 'segredo-todo-meu');
    await phone.waitRegistered();
    await eventually(() => isRegistered(one, mine));
    expect(await isRegistered(other, theirs)).toBe(false);

    const stranger = await phoneOf(theirs, 'segredo-todo-meu');
    await expect(stranger.waitRegistered()).rejects.toThrow(/40[13]/);
    await stranger.stop();
    await phone.stop();
    await eventually(async () => !(await isRegistered(one, mine)));
  });

  it('registers a softphone within two seconds of its creation', async () => {
    const user = await signUpUser(testStack());
    let nth = 0;
    const took = await fastest(3, async () => {
      const extension = await create(user, 'segredo-novo', String(3000 + (nth += 1)));
      const phone = await phoneOf(extension, 'segredo-novo');
      await phone.waitRegistered();
      phones.push(phone);
    });
    await Promise.all(phones.splice(0).map((phone) => phone.kill()));
    expect(took).toBeLessThan(promised(2_000));
  });

  it('with a changed senha wants that one from then on; a deleted one throws its softphone out', async () => {
    const user = await signUpUser(testStack());
    const extension = await create(user, 'primeiro-segredo');
    const phone = await phoneOf(extension, 'primeiro-segredo');
    await phone.waitRegistered();
    await eventually(() => isRegistered(user, extension));

    expect((await user.client.patch('/extensions', { id: extension.id, senha: 'segundo-segredo' })).status).toBe(200);
    await phone.stop();
    const late = await phoneOf(extension, 'primeiro-segredo');
    await expect(late.waitRegistered()).rejects.toThrow(/40[13]/);
    await late.stop();
    const again = await phoneOf(extension, 'segundo-segredo');
    await again.waitRegistered();
    await eventually(() => isRegistered(user, extension));

    expect((await user.client.delete(`/extensions/${extension.id}`)).status).toBe(204);
    expect((await user.client.get(`/extensions/${extension.id}`)).status).toBe(404);
    await eventually(async () => (await contactsOf(extension)) === 0);
    await again.stop();
    const gone = await phoneOf(extension, 'segundo-segredo');
    await expect(gone.waitRegistered()).rejects.toThrow(/40[134]/);
    await gone.stop();
  });

  it('has one softphone: a newer one displaces the older, with one event', async () => {
    const user = await signUpUser(testStack());
    const extension = await create(user, 'segredo-unico');
    const nats = await connect({ servers: testStack().natsUrl });
    let displaced = 0;
    nats.subscribe('sabia.telephony.extension.displaced', {
      callback: (_error, message) => {
        if (Buffer.from(message.data).includes(extension.domain)) displaced += 1;
      },
    });
    const first = await phoneOf(extension, 'segredo-unico');
    await first.waitRegistered();
    await eventually(() => isRegistered(user, extension));
    const second = await phoneOf(extension, 'segredo-unico');
    await second.waitRegistered();
    await eventually(() => displaced > 0);
    const listed = await user.client.get<Extension[]>('/extensions');
    expect(listed.body.filter(({ registered }) => registered)).toHaveLength(1);
    expect(displaced).toBe(1);
    await second.stop();
    await first.stop();
    await nats.close();
  });

  it('registers a browser through the gateway', async () => {
    const user = await signUpUser(testStack());
    const extension = await create(user, 'segredo-da-web');
    const web = await WebPhone.start({ ...extension, url: sip?.ws ?? '' });
    try {
      await web.waitRegistered();
      await eventually(() => isRegistered(user, extension));
    } finally {
      await web.stop();
    }
  });

  it('whose senha is guessed from five addresses keeps its browser, and gives nothing away', async () => {
    const user = await signUpUser(testStack());
    await topUp(user.client, 10);
    const extension = await create(user, 'segredo-cobicado');
    const web = await WebPhone.start({ ...extension, url: sip?.ws ?? '' });
    try {
      await web.waitRegistered();
      const guess = async (address: string): Promise<number> => {
        const line = await SipLine.open({ transport: 'WS', server: sip?.ws ?? '', address });
        let refused = 0;
        // The 61st attempt would be right.
        for (const senha of [...Array<string>(60).fill('palpite-errado'), extension.senha]) {
          const status = await line.register({ ...extension, senha });
          if (status === 403) break;
          expect(status).toBe(401);
          refused += 1;
        }
        line.close();
        return refused;
      };
      const guesses = [];
      for (let nth = 1; nth <= 5; nth++) guesses.push(await guess(`127.7.${process.pid % 256}.${nth}`));
      // Each address is banned after twenty, and the extension is locked for strangers after fifty: the right senha looks wrong to them.
      expect(guesses).toEqual([20, 20, 20, 20, 20]);
      // The lock is known everywhere within a second. Asked with a registration of no seconds, which is checked like any other: one that
      // came before the lock would put another phone into the browser's place.
      const address = `127.7.${process.pid % 256}.9`;
      const stranger = await SipLine.open({ transport: 'WS', server: sip?.ws ?? '', address });
      await eventually(async () => (await stranger.register(extension, 0)) === 401, { timeoutMs: promised(1_000) });
      expect(await stranger.register(extension)).toBe(401);
      stranger.close();
      await expect(
        SipLine.open({ transport: 'WS', server: sip?.ws ?? '', address: `127.7.${process.pid % 256}.1` }),
      ).rejects.toThrow('429');

      expect(await isRegistered(user, extension)).toBe(true);
      await web.dial(testStack().testNumbers.answer);
      await web.waitFor('confirmed');
      await web.hangup();
    } finally {
      await web.stop();
    }
  });
});
