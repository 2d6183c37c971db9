import type { Charge, ChargeStatus } from '../domain/charge';
import { paymentPage } from './page';
import type { PaymentPage } from './page';

const charge: Charge = {
  id: 42,
  accountId: 1,
  userId: 1,
  gateway: 'sandbox',
  type: 'CREDIT',
  paymentMethod: 'PIX',
  paymentId: 'sandbox_42',
  paymentLink: 'http://sabia.test/pay/token',
  pixCode: '000201…',
  dueDate: '2026-03-12',
  amount: 123_456_700,
  taxAmount: 0,
  totalAmount: 123_456_700,
  description: '',
  status: 'PENDING',
  statusUpdatedAt: new Date('2026-03-10T12:00:00Z'),
  createdAt: new Date('2026-03-10T12:00:00Z'),
  hasErpInvoice: false,
  refundedAmount: 0,
  metadata: '{}',
  pageToken: 'token',
};

const draw = (page: Omit<PaymentPage, 'language'>) => paymentPage({ ...page, language: 'pt-BR' });

test('an open charge: amount, due date, code and a button that posts to the page itself', () => {
  const html = draw({ charge, qrCode: '<svg></svg>', allowSandbox: true });
  expect(html).toMatch(/R\$\s12\.345,67/);
  expect(html).toContain('12/03/2026');
  expect(html).toContain('<svg></svg>');
  expect(html).toContain('000201…');
  expect(html).toContain('<form method="post" action="">');
  expect(html).not.toContain('id="slip"');
});

test.each<[ChargeStatus, RegExp]>([
  ['CONFIRMED', /Pagamento recebido/],
  ['RECEIVED', /Pagamento recebido/],
  ['CANCELLED', /foi cancelada/],
  ['REFUNDED', /foi devolvido/],
])('a charge that is %s says so and asks for nothing', (status, words) => {
  const html = draw({ charge: { ...charge, status, paidAmount: charge.amount }, allowSandbox: true });
  expect(html).toMatch(words);
  expect(html).not.toContain('<form');
  expect(html).not.toContain('000201');
});

test('another amount than was asked for, and what went back of it, are told', () => {
  const paid: Charge = { ...charge, status: 'RECEIVED', paidAmount: 10_000, refundedAmount: 2_500 };
  const words = draw({ charge: paid, allowSandbox: true }).replaceAll('&#160;', ' ').replaceAll('\u00a0', ' ');
  expect(words).toContain('Recebemos R$ 1,00 dos R$ 12.345,67 cobrados; o crédito de R$ 1,00 já está na conta.');
  expect(words).toContain('Foram devolvidos R$ 0,25.');
});

test('needs nothing from anywhere else, and what the account wrote stays text', () => {
  const description = `</dd><script>alert("1")</script>'&`;
  const html = draw({ charge: { ...charge, description }, qrCode: '<svg></svg>', allowSandbox: true });
  expect(html).not.toContain('<script>alert');
  expect(html).toContain('&lt;script&gt;');
  expect(html).not.toMatch(/(src|href|url\()\s*=?\s*["']?(https?:)?\/\//);
});

test('a charge of another provider leads to its page', () => {
  const elsewhere: Charge = { ...charge, gateway: 'asaas', paymentLink: 'https://pay.test/i/1?a="b"' };
  const html = draw({ charge: elsewhere, allowSandbox: false });
  expect(html).toContain('href="https://pay.test/i/1?a=&quot;b&quot;"');
  expect(html).not.toContain('<form');
});

test('a sandbox charge where the sandbox is not allowed has neither button nor code', () => {
  const html = draw({ charge, qrCode: '<svg></svg>', allowSandbox: false });
  expect(html).not.toContain('<form');
  expect(html).not.toContain('000201');
  expect(html).toContain('não pode ser paga aqui');
});
