import type { Page } from 'playwright-core';
import { startCallingUser, type CallingUser } from '../../src/calling-user';
import { checkPage } from '../../src/console/check-page';
import { closeBrowser, closeConsoles, openConsole, type ConsoleWindow } from '../../src/console/open-console';
import { takeScreenshot } from '../../src/console/screenshot';
import { eventually } from '../../src/eventually';
import { queryDatabase } from '../../src/find-in-database';
import { createUser, type Person } from '../../src/people';
import { signUpUser } from '../../src/sign-up';
import { testStack } from '../../src/test-stack';
import { openWebhookInbox, type WebhookInbox } from '../../src/webhook-inbox';
import { integrate } from '../../src/webhook-integrations';

const stack = testStack();
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const script = '<img src=x onerror="document.title=1">';
let user: CallingUser;
let inbox: WebhookInbox;
/** Looks at the calls of the account. The caller's own window would ring, because its phone takes over from the softphone. */
let reader: Person;
let callId: string;

beforeAll(async () => {
  [user, inbox] = await Promise.all([startCallingUser(stack, { recorded: true }), openWebhookInbox()]);
  inbox.answer('/calls', (response) => response.writeHead(200).end(`taken ${script}`));
  const settings = { webhookTypes: ['channel-answer', 'channel-hangup', 'call-priced'] };
  reader = await createUser(user);
  await integrate(user.api(), { gateway: 'crm', url: inbox.urlOf('/calls'), settings });
});

afterEach(closeConsoles);

afterAll(async () => {
  await closeBrowser();
  await inbox?.close();
  await user?.stop();
});

const open = (look: Parameters<typeof openConsole>[1] = {}): Promise<ConsoleWindow> =>
  openConsole(stack, { as: reader, ...look });

test('a call moves by itself from the list to its whole story', async () => {
  const { page, goTo, change } = await open();
  await goTo('/calls');
  await page.getByText('Nenhuma chamada em andamento.').waitFor();

  callId = await user.place(stack.testNumbers.hangup, JSON.stringify({ note: script }));
  const live = page.getByRole('list', { name: 'Ao vivo agora' });
  await live.getByText('Em conversa').waitFor();
  await live.getByRole('link', { name: /^Chamada de 2000 para 551155500205/ }).click();

  const main = page.getByRole('main');
  await page.getByRole('heading', { name: '2000 → +55 11 5550-0205' }).waitFor();
  // Without anybody touching the page: the end, the cause, the price, the recording, the webhooks.
  await main.getByText('Uma das pontas desligou depois da conversa.').waitFor();
  await main.getByText(/^Preço da chamada: R\$\s0,\d{2,4}$/).waitFor();
  await main.getByText('Acertada').waitFor();
  await main.getByRole('list', { name: 'Linha do tempo' }).getByText('O destino atendeu').waitFor();
  const ladder = main.getByRole('list', { name: 'Sinalização SIP' });
  for (const message of ['INVITE', '200 OK', 'BYE']) await ladder.getByText(message).first().waitFor();
  // The messages themselves, with the challenge of the carrier, take the place of what follows from the state of the legs.
  const challenge = ladder.getByRole('listitem').filter({ hasText: '401 Unauthorized' });
  await challenge.getByText('401 Unauthorized').click();
  await challenge.getByText(/^CSeq: \d+ INVITE/).waitFor();
  await ladder.getByText(' *', { exact: false }).first().waitFor({ state: 'detached' });
  await main.getByText(script, { exact: true }).first().waitFor();

  await main.getByRole('button', { name: 'Ouvir' }).click();
  const heard = () => page.evaluate<number>(`document.querySelector('audio').currentTime`);
  await eventually(async () => (await heard()) > 0.5);
  await main.getByRole('button', { name: 'Pausar' }).click();
  await main.getByRole('slider', { name: 'Posição na gravação' }).fill('3');
  expect(await heard()).toBeCloseTo(3);
  const wave = await page.request.get(`/api/v1/calls/${callId}/recording?format=wav`);
  expect(wave.headers()['content-type']).toBe('audio/wav');

  const deliveries = main.getByRole('list', { name: 'Webhooks' });
  const hangup = deliveries.getByRole('listitem').filter({ hasText: 'channel-hangup' }).first();
  await hangup.getByText('Entregue').waitFor();
  await hangup.getByText('channel-hangup').first().click();
  await hangup.getByText(`taken ${script}`).waitFor();
  await hangup.getByText('webhook-id: ').first().waitFor();
  await hangup.getByRole('button', { name: /^Copiar como curl/ }).click();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain(
    `curl -X POST '${inbox.urlOf('/calls')}'`,
  );
  await hangup.getByRole('button', { name: /^Enviar de novo/ }).click();
  await hangup.getByText('Tentativa 2').waitFor();

  await checkPage(page);
  await takeScreenshot(page, 'calls/one-1280-light-pt-BR');
  await change({ width: 390, scheme: 'dark', locale: 'en' });
  await page.getByText('One side hung up after the conversation.').waitFor();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await checkPage(page);
  await takeScreenshot(page, 'calls/one-390-dark-en');
});

test('eight tabs share one stream of events, from tab to tab, and with nobody else', async () => {
  const { page, context, goTo } = await open({ tolerates: [/401/] });
  const streams: string[] = [];
  context.on('request', (request) => void (request.url().includes('/api/v1/events') && streams.push(request.url())));
  await goTo('/calls');
  const others = await Promise.all(upTo(7).map(() => context.newPage()));
  await Promise.all(others.map((tab) => tab.goto('/console/calls', { waitUntil: 'domcontentloaded' })));
  const allShow = (words: string, tabs: Page[]) =>
    Promise.all(tabs.map((tab) => tab.getByText(words).first().waitFor()));
  await allShow('Nenhuma chamada em andamento.', [page, ...others]);
  expect(streams).toHaveLength(1);

  await user.place(stack.testNumbers.hangup);
  await allShow('Em conversa', [page, ...others]);
  await page.close();
  await allShow('Nenhuma chamada em andamento.', others);
  expect(streams).toHaveLength(2);
  expect(streams[1]).toContain('lastEventId=');

  const [left, ...rest] = others;
  await left!.getByRole('button', { name: reader.name }).click();
  await left!.getByRole('menuitem', { name: 'Sair' }).click();
  await Promise.all(others.map((tab) => tab.waitForURL(/\/login/)));
  const before = streams.length;
  await left!.getByLabel('E-mail').fill(stack.demo.email);
  await left!.getByLabel('Senha', { exact: true }).fill(stack.demo.password);
  await left!.getByRole('button', { name: 'Entrar' }).click();
  await left!.getByRole('status').getByText('Ao vivo').waitFor();
  const opened = streams.slice(before).map((url) => new URL(url).searchParams);
  expect(opened.map((asked) => asked.get('lastEventId'))).toEqual([null]);
  expect(opened[0]!.get('user')).not.toBe(new URL(streams[0]!).searchParams.get('user'));
  expect(rest.map((tab) => new URL(tab.url()).pathname)).toEqual(rest.map(() => '/console/login'));
});

test('a live call is hung up from the list', async () => {
  const { page, goTo } = await open();
  await goTo('/calls');
  await user.place(stack.testNumbers.answer);
  const live = page.getByRole('list', { name: 'Ao vivo agora' });
  await live.getByText('Em conversa').waitFor();
  await takeScreenshot(page, 'calls/live-1280-light-pt-BR');
  await live.getByRole('button', { name: /^Desligar a chamada de 2000/ }).click();
  await page.getByText('Nenhuma chamada em andamento.').waitFor();
});

test('filters are chips in the address bar, and the export has the same calls', async () => {
  const busy = await user.place(stack.testNumbers.busy);
  await user.callWhen(busy, ({ status }) => status === 'ended');
  const { page, goTo, change } = await open();
  await goTo('/calls');
  await page.getByText(/^\d+ chamadas$/).waitFor();
  await page.getByRole('button', { name: 'Adicionar filtro' }).click();
  await page.getByLabel('Campo').selectOption('Motivo do fim');
  await page.getByLabel('Valor').selectOption('Ocupado');
  await page.getByRole('button', { name: 'Aplicar' }).click();
  await page.getByText('1 chamada', { exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('?hangup_cause=USER_BUSY');

  await page.reload();
  await page.getByRole('button', { name: 'Mudar o filtro Motivo do fim: Ocupado' }).waitFor();
  await page.getByText('1 chamada', { exact: true }).waitFor();
  const link = await page.getByRole('link', { name: 'Exportar CSV' }).getAttribute('href');
  const rows = (await (await page.request.get(link ?? '')).text()).trim().split('\r\n');
  expect(rows).toHaveLength(2);
  expect(rows[1]).toContain(busy);

  await checkPage(page);
  await takeScreenshot(page, 'calls/filtered-1280-light-pt-BR');
  await change({ width: 390, scheme: 'dark', locale: 'en' });
  await page.getByText('1 call', { exact: true }).waitFor();
  await checkPage(page);
  await takeScreenshot(page, 'calls/filtered-390-dark-en');
  await page.getByRole('button', { name: 'Remove the filter Cause: Busy' }).click();
  await page.getByText(/^\d+ calls$/).waitFor();
  expect(new URL(page.url()).search).toBe('');
});

test('a call of another account is not found, and nothing of it is told', async () => {
  const { page, goTo } = await openConsole(stack);
  for (const id of [callId, '019ec2d4-5a10-7c3e-9d6f-2b8a4c1e7f05', 'nonsense']) {
    await goTo(`/calls/${id}`);
    await page.getByRole('heading', { name: 'Não encontramos esta página' }).waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain('5550');
  }
});

test('ten thousand calls: one request for the first page, any other row with one more', async () => {
  const account = await signUpUser(stack);
  await insertPastCalls(account.domain, 10_000);
  const { page, goTo } = await openConsole(stack, { as: account });
  const asked: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/v1/calls') asked.push(request.url());
  });
  await goTo('/calls');
  await page.getByText('10.000 chamadas', { exact: true }).waitFor();
  expect([...new Set(asked)]).toEqual([expect.stringContaining('page=1&')]);
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  const oldest = page.getByRole('link', { name: /^Chamada de 2000 para 551140000001,/ });
  await oldest.waitFor();
  expect(asked.length).toBeLessThan(6);
  expect(await page.getByRole('row').count()).toBeLessThan(80);

  await oldest.click();
  await page.getByRole('heading', { name: '2000 → +55 11 4000-0001' }).waitFor();
  expect(await page.evaluate('scrollY')).toBe(0);
  await page.goBack();
  await oldest.waitFor();
});

/** Calls of the past, a minute apart; the number of the oldest ends with 1. */
async function insertPastCalls(domain: string, count: number): Promise<void> {
  const insert = `
    WITH account AS (SELECT id FROM identity.accounts WHERE domain = $1), inserted AS (
      INSERT INTO telephony.calls_final (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number,
        started_at, ended_at, duration, hangup_cause, hangup_cause_code, email, first_name, last_name, metadata, record)
      SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(nr), 19, '0'))::uuid,
        account.id, 1, $1, 'America/Sao_Paulo', 'outbound', 'ended', '2000', '55114' || lpad(nr::text, 7, '0'),
        at, at, 0, 'NO_ANSWER', '19', 'ana@example.com', 'Ana', 'Silva', '{}', false
      FROM account, generate_series(1, $2::int) AS nr,
        LATERAL (SELECT now() - ($2::int - nr) * interval '1 minute' AS at) AS moment
    )
    INSERT INTO telephony.call_counters (account_id, shard, total) SELECT id, 0, $2 FROM account`;
  await queryDatabase(stack.postgresUrl, insert, [domain, count]);
}
