import type { Charge } from '../domain/charge';
import { isOpen, isPaid } from '../domain/charge-status';
import { paidOf, takenOf } from '../domain/charge-step';
import { unitsPerReal } from '../domain/money';
import type { Money } from '../domain/money';
import { formatBankSlipLine } from './bank-slip';
import { pageStyle } from './page-style';

export interface PaymentPage {
  charge: Charge;
  /** The QR code of the PIX code, as SVG. */
  qrCode?: string;
  /** A sandbox charge of a deployment that allows none, such as a database that moved, can be seen but not paid. */
  allowSandbox: boolean;
}

/** The self-contained page for the payer, in the payer's language. Its button posts to its own address. */
export function paymentPage({ charge, qrCode, allowSandbox }: PaymentPage): string {
  const title = `Pagamento de ${reais(charge.totalAmount)}`;
  return `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} · Sabiá</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<header><span class="brand">sabiá</span><span class="status ${charge.status.toLowerCase()}">${statusWords[charge.status]}</span></header>
<p class="amount">${escape(reais(charge.totalAmount))}</p>
<dl>
<div><dt>Vencimento</dt><dd><time datetime="${charge.dueDate}">${day(charge.dueDate)}</time></dd></div>
<div><dt>Cobrança</dt><dd>nº ${charge.id}</dd></div>
${charge.description === '' ? '' : `<div><dt>Descrição</dt><dd>${escape(charge.description)}</dd></div>`}
</dl>
${isOpen(charge.status) ? waysToPay(charge, qrCode, allowSandbox) : closing(charge)}
</main>
<script>${copyScript}</script>
</body>
</html>
`;
}

const statusWords: Record<Charge['status'], string> = {
  PENDING: 'Aguardando pagamento',
  OVERDUE: 'Vencida',
  CONFIRMED: 'Pagamento confirmado',
  RECEIVED: 'Paga',
  CANCELLED: 'Cancelada',
  REFUNDED: 'Estornada',
};

function waysToPay(charge: Charge, qrCode: string | undefined, allowSandbox: boolean): string {
  if (charge.gateway === 'sandbox' && !allowSandbox) {
    return '<section><p>Esta cobrança de teste não pode ser paga aqui.</p></section>';
  }
  const slip = charge.paymentMethod === 'BOLETO' ? charge.paymentCode : undefined;
  return [
    charge.pixCode === undefined ? '' : pix(charge.pixCode, qrCode),
    slip === undefined ? '' : bankSlip(slip),
    charge.gateway === 'sandbox' ? sandboxButton(charge) : elsewhere(charge),
  ].join('\n');
}

function pix(code: string, qrCode: string | undefined): string {
  return `<section>
<h2>Pague com PIX</h2>
<p>Abra o aplicativo do seu banco e leia o QR code, ou use o código copia e cola.</p>
${qrCode === undefined ? '' : `<div class="qr" role="img" aria-label="QR code do PIX">${qrCode}</div>`}
<label for="pix">PIX copia e cola</label>
<textarea id="pix" rows="5" readonly>${escape(code)}</textarea>
<button type="button" class="copy" data-copy="pix">Copiar código PIX</button>
</section>`;
}

function bankSlip(line: string): string {
  return `<section>
<h2>Pague com boleto</h2>
<label for="slip">Linha digitável</label>
<textarea id="slip" rows="2" readonly>${escape(formatBankSlipLine(line))}</textarea>
<button type="button" class="copy" data-copy="slip">Copiar linha digitável</button>
</section>`;
}

function sandboxButton({ totalAmount }: Charge): string {
  return `<form method="post" action="">
<button type="submit" class="pay" id="pay">Pagar ${escape(reais(totalAmount))}</button>
<p class="note">Ambiente de testes: o botão faz o papel do banco e nenhum dinheiro muda de mãos.</p>
</form>`;
}

function elsewhere({ paymentLink }: Charge): string {
  return paymentLink === undefined ? '' : `<a class="pay" href="${escape(paymentLink)}">Ir para o pagamento</a>`;
}

function closing(charge: Charge): string {
  const when = charge.refundedAt ?? charge.paidAt ?? charge.statusUpdatedAt;
  const [sign, words] = isPaid(charge.status)
    ? ['✓', paidWords(charge)]
    : charge.status === 'REFUNDED'
      ? ['↺', `O valor foi devolvido em ${moment(when)}.`]
      : ['×', 'Esta cobrança foi cancelada e não pode mais ser paga.'];
  return `<section class="closing"><p class="sign" aria-hidden="true">${sign}</p><p>${escape(words)}</p></section>`;
}

/** The amount received, if it differs from the charge, and the amount returned. */
function paidWords(charge: Charge): string {
  const paid = paidOf(charge);
  const back = takenOf(charge);
  return [
    `Pagamento recebido em ${moment(charge.paidAt ?? charge.statusUpdatedAt)}.`,
    paid === charge.totalAmount
      ? 'O crédito já está na conta.'
      : `Recebemos ${reais(paid)} dos ${reais(charge.totalAmount)} cobrados; o crédito de ${reais(paid)} já está na conta.`,
    ...(back === 0 ? [] : [`Foram devolvidos ${reais(back)}.`]),
  ].join(' ');
}

const copyScript = `document.addEventListener('click',function(e){var b=e.target.closest('[data-copy]');if(!b)return;
var t=document.getElementById(b.dataset.copy);t.select();
(navigator.clipboard?navigator.clipboard.writeText(t.value):Promise.reject()).catch(function(){document.execCommand('copy')});
var w=b.textContent;b.textContent='Copiado';setTimeout(function(){b.textContent=w},1500)});`;

const money = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });
const momentFormat = new Intl.DateTimeFormat('pt-BR', {
  dateStyle: 'short',
  timeStyle: 'short',
  timeZone: 'America/Sao_Paulo',
});

// Less than a hundred thousand million reais with two decimals: a double shows that exactly.
const reais = (amount: Money): string => money.format(amount / unitsPerReal);
const moment = (at: Date): string => momentFormat.format(at);
const day = (date: string): string => date.split('-').reverse().join('/');

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
