import jsQr from 'jsqr';
import { chromium, type Browser, type Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { dayAhead } from '../src/credit';
import { eventually } from '../src/eventually';
import { signUpUser, type SignedUpUser } from '../src/sign-up';
import { Softphone } from '../src/softphone/softphone';
import { testStack } from '../src/test-stack';
import { findChromium } from '../src/web-phone/chromium';

interface Charge {
  id: number;
  paymentLink: string;
  paymentCode: string;
  status: string;
  paidAt: string | null;
}

interface Call {
  status: string;
  minute_price: number | null;
  call_price: number | null;
  billed_seconds: number | null;
}

let browser: Browser;
let user: SignedUpUser;
const complaints: string[] = [];

beforeAll(async () => {
  const { executablePath, args } = await findChromium();
  // The sandbox needs rights that containers seldom have; the only page is ours.
  browser = await chromium.launch({ executablePath, args, chromiumSandbox: false, timeout: 180_000 });
  user = await signUpUser(testStack());
});

afterAll(async () => {
  await browser?.close();
});

/** As on a phone held upright. */
async function open(link: string, width = 390): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height: 844 },
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  expect((await page.goto(link))?.status()).toBe(200);
  return page;
}

const charge = async (wish: object): Promise<Charge> => {
  const made = await user.client.post<Charge>('/charges', { dueDate: dayAhead(3), ...wish });
  expect(made.status).toBe(200);
  return made.body;
};

const chargeNow = async (id: number): Promise<Charge> => {
  const query = { page: '1', filter: JSON.stringify({ where: { id } }) };
  return (await user.client.get<{ data: Charge[] }>('/charges', { query })).body.data[0]!;
};

const copied = (page: Page): Promise<string> => page.evaluate<string>('navigator.clipboard.readText()');

async function readQrCode(page: Page): Promise<string | undefined> {
  const { data, width, height } = PNG.sync.read(await page.locator('.qr').screenshot());
  return jsQr(new Uint8ClampedArray(data), width, height)?.data;
}

const widerThanScreen = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('body *')]
    .filter((element) => element.scrollWidth > innerWidth || element.getBoundingClientRect().right > innerWidth)
    .map(({ tagName, className }) => tagName + ' ' + className)`);

it('from the charge to the price of a call: a payer on a phone presses the button', async () => {
  const made = await charge({ paymentMethod: 'BOLETO', amount: 1_234.5, description: 'Crédito de novembro' });
  const { paymentCode } = await chargeNow(made.id);
  const page = await open(made.paymentLink);

  const [year, month, day] = dayAhead(3).split('-');
  const text = await page.innerText('main');
  expect(text.replace(/\s/g, ' ')).toContain('R$ 1.234,50');
  expect(text).toContain(`${day}/${month}/${year}`);
  expect(text).toContain('Crédito de novembro');
  expect(text).toContain('Aguardando pagamento');
  const qr = await page.locator('.qr svg').boundingBox();
  expect(qr?.width).toBeGreaterThan(180);
  expect(qr?.height).toBeCloseTo(qr?.width ?? 0, 0);
  // What the camera of the payer's bank reads.
  expect(await readQrCode(page)).toBe(await page.inputValue('#pix'));
  expect(await widerThanScreen(page)).toEqual([]);
  for (const button of await page.locator('button').all()) {
    // A thumb needs a large button.
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }

  await page.getByRole('button', { name: 'Copiar código PIX' }).tap();
  await eventually(async () => (await copied(page)).startsWith('000201'));
  expect(await copied(page)).toBe(await page.inputValue('#pix'));
  await page.getByRole('button', { name: 'Copiar linha digitável' }).tap();
  await eventually(async () => (await copied(page)).replace(/\D/g, '') === paymentCode);

  expect((await user.client.get('/credits/balance')).body).toMatchObject({ balance: 0 });
  await page.getByRole('button', { name: /^Pagar R\$\s1\.234,50$/ }).tap();
  await page.waitForSelector('.closing');
  expect(await page.innerText('main')).toMatch(/Paga\b[^]*Pagamento recebido em/);
  expect(await page.locator('button').count()).toBe(0);
  // Reloading the page pays nothing twice.
  await page.goto(made.paymentLink);
  expect(await page.innerText('main')).toContain('Pagamento recebido em');
  expect(await chargeNow(made.id)).toMatchObject({ status: 'RECEIVED', paidAt: expect.any(String) });
  expect((await user.client.get('/credits/balance')).body).toEqual({
    balance: 1_234.5,
    reserved: 0,
    available: 1_234.5,
    currency: 'BRL',
  });
  await page.context().close();

  const { price, callId } = await talk();
  expect((await user.client.get('/credits/balance')).body).toMatchObject({ reserved: 0 });
  const statement = await user.client.get<{ data: object[] }>('/credits/statement', { query: { page: '1' } });
  const after = Math.round((1_234.5 - price) * 10_000) / 10_000;
  expect(statement.body.data).toMatchObject([
    { kind: 'call', amount: -price, balance: after, callId, chargeId: null },
    { kind: 'topup', amount: 1_234.5, balance: 1_234.5, callId: null, chargeId: made.id },
  ]);
  expect(complaints).toEqual([]);
});

async function talk(): Promise<{ callId: string; price: number }> {
  const { sip, testNumbers } = testStack();
  const extension = { ramal: '2000', senha: 'segredo-2000' };
  const person = { first_name: 'Ana', last_name: 'Silva', email_address: user.email, gravar_audio: 0 };
  expect((await user.client.post('/extensions', { ...extension, ...person })).status).toBe(200);
  const phone = await Softphone.start({ ...extension, domain: user.domain, server: sip?.udp ?? '' });
  try {
    await phone.waitRegistered();
    await eventually(async () => {
      const { body } = await user.client.fromAnotherAddress().get<{ registered: boolean }[]>('/extensions');
      return body[0]?.registered;
    });
    const placed = await user.client.post<{ id: string }>('/calls', { extension: '2000', called: testNumbers.hangup });
    expect(placed.status).toBe(200);
    const callId = placed.body.id;
    const call = await eventually(
      async () => {
        const { body } = await user.client.fromAnotherAddress().get<Call>(`/calls/${callId}`);
        return body.call_price !== null && body;
      },
      { intervalMs: 300 },
    );
    const quote = await user.client.get<{ minute_price: number }>('/rates', {
      query: { destination: testNumbers.hangup },
    });
    expect(call.minute_price).toBe(quote.body.minute_price);
    expect(call.billed_seconds).toBe(30);
    expect(call.call_price).toBeCloseTo(quote.body.minute_price / 2, 4);
    return { callId, price: call.call_price ?? 0 };
  } finally {
    await phone.stop();
  }
}

it('fits the smallest phone, and says that a charge can no longer be paid', async () => {
  const made = await charge({ paymentMethod: 'UNDEFINED', amount: 49_999.99, description: 'x'.repeat(200) });
  const page = await open(made.paymentLink, 320);
  expect(await widerThanScreen(page)).toEqual([]);
  expect(await page.inputValue('#pix')).toMatch(/^000201/);
  expect((await user.client.patch(`/charges/${made.id}/cancel`)).status).toBe(200);
  // The page was open before: its button now changes nothing.
  await page.getByRole('button', { name: /^Pagar/ }).tap();
  await page.waitForSelector('.closing');
  expect(await page.innerText('main')).toMatch(/Cancelada\b[^]*não pode mais ser paga/);
  expect(await chargeNow(made.id)).toMatchObject({ status: 'CANCELLED', paidAt: null });
  const unknown = await page.goto(`${testStack().gatewayUrl}/pay/${'A'.repeat(22)}`);
  expect(unknown?.status()).toBe(404);
  expect(await page.innerText('h1')).toBe('Cobrança não encontrada');
  await page.context().close();
});
