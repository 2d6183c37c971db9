import { closeBrowser, closeConsoles, openConsole } from '../../src/console/open-console';
import type { ConsoleWindow, Look } from '../../src/console/open-console';
import { checkPage } from '../../src/console/check-page';
import { listenIn, phoneOf } from '../../src/console/console-phone';
import type { ConsolePhone } from '../../src/console/console-phone';
import { takeScreenshot } from '../../src/console/screenshot';
import { topUp } from '../../src/credit';
import { eventually } from '../../src/eventually';
import { createAdmin, createUser } from '../../src/people';
import type { Person } from '../../src/people';
import { Softphone } from '../../src/softphone/softphone';
import { testStack } from '../../src/test-stack';

const { sip, testNumbers } = testStack();
let ana: Person & { domain: string };
let bia: Person;
let desk: Softphone;
/** The phone on a desk: an extension of the account that is not in a browser. */
const deskRamal = '2900';

beforeAll(async () => {
  ana = await createAdmin(testStack());
  bia = await createUser(ana);
  await topUp(ana.api(), 50);
  const senha = 'a-long-password-for-the-desk';
  const ofDesk = { ramal: deskRamal, senha, first_name: 'Mesa', email_address: 'mesa@example.com' };
  await ana.api().post('/extensions', ofDesk);
  desk = await Softphone.start({ domain: ana.domain, ramal: deskRamal, senha, server: sip?.udp ?? '' });
  await desk.waitRegistered();
});

afterEach(closeConsoles);
afterAll(async () => {
  await closeBrowser();
  await desk?.kill();
});

async function openPhone(person: Person, look: Partial<Look> & { path?: string } = {}): Promise<OpenPhone> {
  // A page without contents of its own: the phone is on every page.
  const { path = '/no-such-page', ...options } = look;
  const window = await openConsole(testStack(), { as: person, ...options });
  await listenIn(window);
  await window.goTo(path);
  return { ...phoneOf(window.page), change: window.change };
}

type OpenPhone = ConsolePhone & Pick<ConsoleWindow, 'change'>;

interface Extension {
  ramal: string;
  domain: string;
  senha: string;
}

/** The user's extension; one is offered where there is none. */
async function withExtension(phone: ConsolePhone, person: Person): Promise<Extension> {
  await phone.open();
  await phone.says(/Criar meu ramal|Pronto para ligar/);
  if (await phone.dock.getByText('Criar meu ramal').isVisible()) await phone.press('Criar meu ramal');
  await phone.says('Pronto para ligar');
  const { body } = await person.api().get<{ extension: Extension }>('/phone');
  return body.extension;
}

test('two users get an extension each, talk, mute, hold, are busy for others, and hand the call to a desk phone', async () => {
  const [hers, his] = await Promise.all([openPhone(ana), openPhone(bia, { width: 390 })]);
  const { ramal: herRamal } = await withExtension(hers, ana);
  const { ramal } = await withExtension(his, bia);
  await his.dock.getByRole('button', { name: /Fechar telefone/ }).click();

  await hers.dial(ramal);
  await his.says('Chamada recebida');
  await checkPage(his.page);
  await takeScreenshot(his.page, 'phone/ringing-390');
  await his.change({ scheme: 'dark' });
  await checkPage(his.page);
  await takeScreenshot(his.page, 'phone/ringing-390-dark');
  await his.press('Atender');
  await Promise.all([hers.says('Em chamada'), his.says('Em chamada')]);
  await Promise.all([hers.hears(), his.hears()]);
  await hers.says('Qualidade boa');
  await Promise.all([checkPage(hers.page), checkPage(his.page)]);
  await takeScreenshot(hers.page, 'phone/talking-1280');

  await hers.press('Mudo');
  await his.hearsSilence();
  await hers.press('Reativar');
  await his.hears();
  await hers.press('Espera');
  await hers.says('Em espera');
  await his.hearsSilence();
  await hers.press('Retomar');
  await his.hears();

  desk.forget();
  await desk.dial(herRamal);
  await desk.waitFor('CALL_CLOSED');
  await hers.says('Ligou enquanto você estava em outra chamada');
  await hers.dock.getByRole('listitem').filter({ hasText: deskRamal }).waitFor();
  await checkPage(hers.page);
  await takeScreenshot(hers.page, 'phone/busy-1280');
  await hers.press('Fechar');
  await his.hears();

  await hers.press('Transferir');
  await hers.dock.getByLabel('Transferir para o ramal').fill('9999');
  await hers.dock.getByLabel('Transferir para o ramal').press('Enter');
  await hers.says('Este ramal não existe na sua conta.');
  desk.forget();
  await hers.dock.getByLabel('Transferir para o ramal').fill(deskRamal);
  await hers.dock.getByLabel('Transferir para o ramal').press('Enter');
  await desk.waitFor('CALL_ESTABLISHED');
  await hers.says('Chamada transferida.');
  await his.hears();
  await his.press('Desligar');
  await desk.waitFor('CALL_CLOSED');
});

test('keys reach the other side, refusals are told in words, a dialog does not keep from answering, nor a phone from taking over', async () => {
  const phone = await openPhone(ana, { path: '/tokens' });
  const extension = await withExtension(phone, ana);
  const { ramal } = extension;
  desk.forget();
  await phone.dial(deskRamal);
  await phone.says('Em chamada');
  await desk.waitHeard({ seconds: 1, loudness: 100 });
  await phone.press('Teclado');
  await phone.press('5');
  await eventually(() => desk.events.some(({ type, param }) => type === 'CALL_DTMF_START' && param === '5'));
  await desk.hangup();
  await phone.says('Chamada encerrada.');

  for (const [number, words] of [
    [testNumbers.busy, 'Ocupado.'],
    [testNumbers.unallocated, 'Este número não existe. Confira os dígitos.'],
    ['12', 'Este número não é válido. Use DDD e número, ou um ramal.'],
  ] as const) {
    await phone.dial(number);
    await phone.says(words);
    await phone.press('Fechar');
  }

  await phone.page.getByRole('button', { name: 'Novo token' }).first().click();
  const dialog = phone.page.getByRole('dialog');
  await dialog.getByLabel('Para que serve').fill('half a name');
  await ana.api().post('/calls', { extension: ramal, called: testNumbers.answer });
  await phone.says('Chamada pedida por outro sistema');
  await checkPage(phone.page);
  await takeScreenshot(phone.page, 'phone/ringing-beside-dialog-1280');
  await phone.page.keyboard.press('F6');
  await phone.page.keyboard.press('Enter');
  await phone.says('Em chamada');
  await phone.page.keyboard.press('F6');
  await phone.page.keyboard.type(' and the rest');
  await phone.press('Desligar');
  await phone.says('Chamada encerrada.');
  expect(await dialog.getByLabel('Para que serve').inputValue()).toBe('half a name and the rest');
  await phone.page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await phone.press('Ajustes do telefone');
  await phone.dock.getByRole('checkbox').check();
  await ana.api().post('/calls', { extension: ramal, called: testNumbers.answer });
  await phone.says('Em chamada');
  await phone.hears();
  await phone.press('Desligar');

  const other = await Softphone.start({ ...extension, server: sip?.udp ?? '' });
  try {
    await other.waitRegistered();
    await phone.says('Outro aparelho ou navegador está usando este ramal.');
    await checkPage(phone.page);
    await phone.press('Usar aqui');
    await phone.says('Pronto para ligar');
  } finally {
    await other.kill();
  }
});

test('a call outlives its page after a reload and moves to another tab, and ends soon after the last page is closed', async () => {
  const phone = await openPhone(ana);
  await withExtension(phone, ana);
  await phone.dial(testNumbers.answer);
  await phone.says('Em chamada');
  await phone.hears();
  const id = await eventually(async () => {
    const { body } = await ana.api().get<{ data: { id: string }[] }>('/calls?page=1');
    return body.data[0]?.id;
  });

  const questions: string[] = [];
  phone.page.on('dialog', (dialog) => {
    questions.push(dialog.type());
    void dialog.accept();
  });
  // Another language needs another page.
  await phone.change({ scheme: 'dark', locale: 'en' });
  expect(questions).toEqual(['beforeunload']);
  await phone.says('In a call');
  await phone.hears();
  await checkPage(phone.page);
  await takeScreenshot(phone.page, 'phone/talking-1280-dark-en');
  await phone.change({ width: 390 });
  await checkPage(phone.page);
  await takeScreenshot(phone.page, 'phone/talking-390-dark-en');

  const otherTab = phoneOf(await phone.page.context().newPage());
  await otherTab.page.goto('/console/calls', { waitUntil: 'domcontentloaded' });
  await otherTab.open();
  await otherTab.press('Use here');
  await otherTab.says('In a call');
  await otherTab.hears();
  await phone.says('Active in another tab');
  // The tab that is left becomes the phone by itself.
  await otherTab.page.close();
  await phone.says('In a call');
  await phone.hears();
  await phone.press('Hang up');
  await phone.says('The call ended.');
  await phone.press('Close');
  await checkPage(phone.page);
  await takeScreenshot(phone.page, 'phone/dial-pad-390-dark-en');

  const call = await eventually(async () => {
    const { body } = await ana.api().get<{ status: string; hangup_cause: string }>(`/calls/${id}`);
    return body.status === 'ended' && body;
  });
  expect(call).toMatchObject({ to: testNumbers.answer, hangup_cause: 'NORMAL_CLEARING' });
  const { body: calls } = await ana.api().get<{ data: { id: string }[] }>('/calls?page=1');
  expect(calls.data[0]?.id).toBe(id);

  // Nobody waits in silence for a page that does not come back.
  desk.forget();
  await phone.dial(deskRamal);
  await phone.says('In a call');
  await desk.waitHeard({ seconds: 1, loudness: 100 });
  await phone.page.close({ runBeforeUnload: true });
  await desk.waitFor('CALL_CLOSED', 30_000);
});
