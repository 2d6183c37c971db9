import { validarBoleto } from '@mrmgomes/boleto-utils';
import { PaymentMethod } from '@sabia/protos/sabia/billing/v1/messages';
import { hasError, isStaticPix, parsePix } from 'pix-utils';
import { ChargeDesk } from './charge-desk';

describe('the payment page', () => {
  const desk = new ChargeDesk();

  beforeAll(() => desk.open());
  beforeEach(() => desk.nextAccount());
  afterAll(() => desk.close());

  test('shows what there is to pay, with codes that independent parsers accept', async () => {
    const { id } = await desk.create({
      paymentMethod: PaymentMethod.BOLETO,
      amount: 123_456_700,
      description: '<b>"x"&\'',
    });
    const { html } = await desk.stage.call('getPaymentPage', { token: await desk.tokenOf(id) });
    expect(html).toMatch(/R\$\s12\.345,67/);
    expect(html).toContain('12/03/2026');
    expect(html).toContain('&lt;b&gt;&quot;x&quot;&amp;&#39;');
    expect(html).toContain('<svg');
    expect(html).not.toMatch(/(src|href)=["']?http/);
    const pix = parsePix(/<textarea id="pix"[^>]*>([^<]+)/.exec(html)![1]!);
    if (hasError(pix) || !isStaticPix(pix)) {
      throw new Error('the parser refuses the PIX code');
    }
    expect(pix).toMatchObject({ transactionAmount: 12_345.67, txid: `SABIA${id}` });
    const line = /<textarea id="slip"[^>]*>([^<]+)/.exec(html)![1]!.replace(/\D/g, '');
    expect(validarBoleto(line)).toMatchObject({ sucesso: true, valor: 12_345.67 });
    expect((await desk.list()).data[0]!.paymentCode).toBe(line);
  });

  test('speaks the language of the payer', async () => {
    const { id } = await desk.create({ amount: 123_456_700 });
    const token = await desk.tokenOf(id);
    const { html } = await desk.stage.call('getPaymentPage', { token, language: 'en' });
    for (const words of ['<html lang="en">', 'R$12,345.67', 'March 12, 2026', 'Waiting for payment', 'Copy PIX code']) {
      expect(html).toContain(words);
    }
    expect(html).not.toMatch(/Vencimento|Cobrança|Pagar|Copiar/);
    const paid = await desk.stage.call('paySandboxCharge', { token, language: 'en' });
    expect(paid.html).toMatch(/Payment received on .*The credit is on the account/);
    expect((await desk.stage.call('getPaymentPage', { token, language: 'xx' })).html).toContain('lang="pt-BR"');
  });

  test('its button pays, once', async () => {
    const { id } = await desk.create();
    const token = await desk.tokenOf(id);
    const pages = await Promise.all([1, 2, 3].map(() => desk.stage.call('paySandboxCharge', { token })));
    for (const { html } of pages) {
      expect(html).toContain('Pagamento recebido');
      expect(html).not.toContain('<form');
    }
    expect(await desk.balance()).toBe(100_000);
    expect((await desk.stage.call('getPaymentPage', { token })).html).toContain('Paga');
  });

  test('a card is confirmed before it is received, and credits once', async () => {
    const { id } = await desk.create({ paymentMethod: PaymentMethod.CREDIT_CARD });
    await desk.stage.call('paySandboxCharge', { token: await desk.tokenOf(id) });
    expect(await desk.balance()).toBe(100_000);
    expect(await desk.events()).toEqual([
      'billing.charge.created',
      'billing.charge.confirmed',
      'billing.charge.received',
    ]);
  });

  test('a cancelled charge cannot be paid', async () => {
    const { id } = await desk.create();
    const token = await desk.tokenOf(id);
    await desk.cancel(id);
    expect((await desk.stage.call('paySandboxCharge', { token })).html).toContain('Cancelada');
    expect(await desk.balance()).toBe(0);
  });

  test('where the sandbox is not allowed no charge is paid by a button, though it can be cancelled', async () => {
    const { id } = await desk.create();
    const token = await desk.tokenOf(id);
    desk.stage.collection.allowSandbox = false;
    try {
      expect((await desk.stage.call('getPaymentPage', { token })).html).not.toContain('<form');
      await expect(desk.stage.call('paySandboxCharge', { token })).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
      expect(await desk.balance()).toBe(0);
      await desk.cancel(id);
    } finally {
      desk.stage.collection.allowSandbox = true;
    }
  });

  test.each(['', 'x', '../etc', 'A'.repeat(22), 'A'.repeat(65)])('no page for %j', async (token) => {
    await expect(desk.stage.call('getPaymentPage', { token })).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
    await expect(desk.stage.call('paySandboxCharge', { token })).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
  });
});
