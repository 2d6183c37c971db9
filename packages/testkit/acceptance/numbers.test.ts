import type { AccountNumber, NumberProof } from '@sabia/client';
import { openCallRoom, type CallRoom } from '../src/call-room';
import { createCli } from '../src/cli';
import { spareCarrier } from '../src/config';
import { checkPage } from '../src/console/check-page';
import { closeBrowser, closeConsoles, openConsole } from '../src/console/open-console';
import { takeScreenshot } from '../src/console/screenshot';
import { eventually } from '../src/eventually';
import { operatorDesk } from '../src/operator-desk';
import { createUser } from '../src/people';
import { Softphone } from '../src/softphone/softphone';
import { testStack } from '../src/test-stack';

/** Accounts prove numbers: a phone at the far end of a trunk is called, answers, and somebody presses its keys. */
const stack = testStack();
const { sip, testCarrier } = stack;
const { port, prefix } = spareCarrier().mobile;
let one: CallRoom;
let other: CallRoom;
let mobile: Softphone;
let numbers = 0;

const newNumber = (): string => `${prefix}${String((numbers += 1)).padStart(2, '0')}`;
const otherThan = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

/** Keys another code in until it has counted. */
const pressAnother = (room: CallRoom, id: string, code: string): Promise<void> =>
  mobile.pressUntil(otherThan(code), async () => (await room.api().sabia.numbers.proof(id)).triesLeft < 3);

/** Answers, and keys the code in until the other side hangs up. */
async function answerAndPress(code: string): Promise<void> {
  await mobile.waitFor('CALL_ESTABLISHED');
  await mobile.pressUntil(code, () => mobile.events.some(({ type }) => type === 'CALL_CLOSED'));
  mobile.forget();
}

const decided = (room: CallRoom, id: string): Promise<NumberProof> =>
  eventually(async () => {
    const proof = await room.api().sabia.numbers.proof(id);
    return proof.status === 'CALLING' ? undefined : proof;
  });

async function prove(room: CallRoom, number: string): Promise<NumberProof> {
  const { id, code = '' } = await room.api().sabia.numbers.prove(number);
  await answerAndPress(code);
  return decided(room, id);
}

const listed = async (room: CallRoom): Promise<AccountNumber[]> => room.api().sabia.numbers.list();

beforeAll(async () => {
  [one, other] = await Promise.all([openCallRoom(stack), openCallRoom(stack)]);
  const nobody = { ramal: 'mobile', domain: '127.0.0.1', senha: '', server: '127.0.0.1:9', registers: false };
  mobile = await Softphone.start({ ...nobody, port });
});

afterEach(closeConsoles);
afterAll(async () => {
  await closeBrowser();
  await mobile?.kill();
  await Promise.all([one?.close(), other?.close()]);
});

test('a number that was proven reaches the account from outside, until another account proves that it has the phone', async () => {
  const number = newNumber();
  const { ramal, senha, domain } = await one.addExtension();
  const [extension] = await one.api().sabia.extensions.list({ filter: { where: { ramal } } });
  await one.api().sabia.extensions.update(extension!.id, { bina: number });
  const { id, code = '', ...started } = await one.api().sabia.numbers.prove(`+${number}`);
  expect(code).toMatch(/^\d{6}$/);
  expect(started).toMatchObject({ number, status: 'CALLING', failure: null, triesLeft: 3 });
  await mobile.waitFor('CALL_ESTABLISHED');
  await pressAnother(one, id, code);
  await answerAndPress(code);
  const proof = await decided(one, id);
  expect(proof).toMatchObject({ id, number, status: 'PROVEN' });
  expect(proof).not.toHaveProperty('code');
  expect(await listed(one)).toMatchObject([{ number, title: 'PROVEN', extensions: 1 }]);

  const call = await one.when(id, ({ call_price }) => call_price !== null);
  expect(call).toMatchObject({ from: '', to: number, metadata: { purpose: 'number-proof' } });
  const told = await one.webhooks(id, ['channel-create', 'channel-answer', 'channel-hangup']);
  const timeline = (await one.api().get(`/calls/${id}/timeline`)).text;
  expect(JSON.stringify([call, told, timeline])).not.toContain(code);

  const phone = await Softphone.start({ ramal, senha, domain, server: sip?.udp ?? '' });
  await phone.waitRegistered();
  const outside = await Softphone.start({
    ...{ ramal: '5511977776666', domain: testCarrier?.domain ?? '', authUser: testCarrier?.username },
    ...{ senha: testCarrier?.password ?? '', server: testCarrier?.sip ?? '', registers: false },
  });
  await outside.dial(number);
  await phone.waitFor('CALL_ESTABLISHED');
  await Promise.all([phone.kill(), outside.kill()]);

  expect(await prove(other, number)).toMatchObject({ status: 'PROVEN', failure: null });
  expect(await listed(one)).toEqual([]);
  expect(await listed(other)).toMatchObject([{ number, title: 'PROVEN', extensions: 0 }]);
  const desk = operatorDesk(stack);
  const owned = await desk.get<{ data: object[] }>('/numbers', { number });
  const accountId = await desk.accountOf(other.domain);
  expect(owned.body.data).toMatchObject([{ number, accountId, title: 'PROVEN', operatorName: '' }]);
  await desk.client.close();
});

test('who may not, and what may not be proven', async () => {
  const given = newNumber();
  await other.addExtension({ bina: given });
  const start = (number?: string) => one.api().post<{ error: { code: string } }>('/numbers/proofs', { number });
  const taken = await start(given);
  expect([taken.status, taken.body.error.code]).toEqual([409, 'NUMBER_TAKEN']);
  expect(taken.text).not.toContain(other.domain);
  for (const wrong of [undefined, '190', 'mine']) expect((await start(wrong)).status).toBe(422);
  const user = await createUser(one);
  expect((await user.api().post('/numbers/proofs', { number: newNumber() })).status).toBe(403);
  expect((await user.api().get('/numbers')).status).toBe(200);
  const busy = await one.api().sabia.numbers.prove(stack.testNumbers.busy);
  expect((await other.api().get(`/numbers/proofs/${busy.id}`)).status).toBe(404);
  expect(await decided(one, busy.id)).toMatchObject({ status: 'FAILED', failure: 'BUSY' });
});

test('the command line shows the code and follows the proof to its end', async () => {
  const number = newNumber();
  const cli = createCli(stack.gatewayUrl);
  await cli.run(['login', '--email', one.email], { SABIA_PASSWORD: one.password });
  const proving = cli.start(['numbers', 'prove', number]);
  const code = await eventually(() => /key in (\d{6})/.exec(proving.stdout())?.[1]);
  await answerAndPress(code);
  expect(await proving.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('belongs to the account') });
  expect(await cli.json('numbers')).toContainEqual(expect.objectContaining({ number, title: 'PROVEN' }));
  expect((await cli.run(['numbers', '--lang', 'pt-BR'])).stdout).toMatch(new RegExp(`${number} +foi provado`));
  expect(await cli.run(['numbers', 'prove', number])).toMatchObject({ code: 1 });
  const failed = await cli.run(['numbers', 'prove', stack.testNumbers.reject, '--json']);
  expect(failed).toMatchObject({ code: 6, stderr: expect.stringContaining('refused') });
  expect(JSON.parse(failed.stdout.trim().split('\n').at(-1)!)).toMatchObject({ status: 'FAILED', failure: 'REJECTED' });
  cli.remove();
});

test('on a narrow page a phone that registers moves nothing: what is being pressed stays under the finger', async () => {
  await other.addExtension();
  await other.addExtension();
  const { page, goTo } = await openConsole(stack, { as: other, width: 390 });
  await goTo('/extensions');
  const heightOf = async (state: string) => {
    const row = page.getByRole('row').filter({ has: page.getByText(state, { exact: true }) });
    await row.first().waitFor();
    return (await row.first().boundingBox())?.height;
  };
  // The console's own phone registers one of them.
  expect(await heightOf('Conectado')).toBe(await heightOf('Desconectado'));
});

test('in the console the code is shown large until the number is proven', async () => {
  const number = newNumber();
  const { page, goTo, change } = await openConsole(stack, { as: other, width: 390 });
  const keep = async (name: string) => {
    await checkPage(page);
    await takeScreenshot(page, `journeys/numbers-${name}`);
  };
  await goTo('/extensions');
  await page.getByRole('button', { name: 'Provar um número' }).click();
  await page.getByLabel('Número', { exact: true }).fill('12');
  await page.getByRole('button', { name: 'Ligar agora' }).click();
  await page.getByText('Isto não parece válido.').waitFor();
  await keep('form-390');
  await page.getByLabel('Número', { exact: true }).fill(number);
  await page.getByRole('button', { name: 'Ligar agora' }).click();
  const code = await page.getByTestId('proof-code').innerText();
  await mobile.waitFor('CALL_ESTABLISHED');
  await keep('code-390');
  await change({ width: 1280 });
  await keep('code-1280');
  const [call] = await other
    .api()
    .sabia.calls.list({ filter: { where: { to: number } } })
    .take(1);
  await pressAnother(other, call!.id, code);
  await page.getByText('Tentativas restantes').waitFor();
  await answerAndPress(code);
  await page.getByText('agora pertence à sua conta').waitFor();
  await keep('proven-1280');
  await page.getByRole('button', { name: 'Fechar' }).last().click();
  await page.getByText('Provado', { exact: true }).first().waitFor();
  await keep('list-1280');
  await change({ width: 390, locale: 'en' });
  await page.getByText('Proven', { exact: true }).first().waitFor();
  await keep('list-390');
  await goTo('/calls');
  await page.getByText('· Proof').first().waitFor();
  await keep('calls-390');
});
