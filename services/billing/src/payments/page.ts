import { escapeHtml } from '@sabia/service-kit/brand/html';
import type { Language } from '@sabia/service-kit/brand/language';
import { inlineMark, markDataUrl } from '@sabia/service-kit/brand/mark';
import { brandName } from '@sabia/service-kit/brand/palette';
import type { Charge } from '../domain/charge';
import { isOpen, isPaid } from '../domain/charge-status';
import { paidOf, takenOf } from '../domain/charge-step';
import { formatBankSlipLine } from './bank-slip';
import { formatsOf } from './page-formats';
import type { PageFormats } from './page-formats';
import { pageStyle } from './page-style';
import { pageWords } from './page-words';
import type { PageWords } from './page-words';

export interface PaymentPage {
  charge: Charge;
  /** The QR code of the PIX code, as SVG. */
  qrCode?: string;
  /** A sandbox charge of a deployment that allows none, such as a database that moved, can be seen but not paid. */
  allowSandbox: boolean;
  /** Of the payer. */
  language: Language;
}

/** What every part of the page needs. */
interface Drawing extends PaymentPage, PageFormats {
  words: PageWords;
}

/** The self-contained page for the payer. Its button posts to its own address. */
export function paymentPage(page: PaymentPage): string {
  const { charge, language } = page;
  const drawing: Drawing = { ...page, ...formatsOf(language), words: pageWords[language] };
  const { words, reais, day } = drawing;
  const amount = escapeHtml(reais(charge.totalAmount));
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${words.title(amount)} · ${brandName}</title>
<link rel="icon" href="${markDataUrl}">
<style>${pageStyle}</style>
</head>
<body>
<main>
<header><span class="brand">${inlineMark(30)}${brandName}</span><span class="status ${charge.status.toLowerCase()}">${words.status[charge.status]}</span></header>
<h1 class="amount">${amount}</h1>
<dl>
<div><dt>${words.dueDate}</dt><dd><time datetime="${charge.dueDate}">${day(charge.dueDate)}</time></dd></div>
<div><dt>${words.charge}</dt><dd>${words.number(charge.id)}</dd></div>
${charge.description === '' ? '' : `<div><dt>${words.description}</dt><dd>${escapeHtml(charge.description)}</dd></div>`}
</dl>
${isOpen(charge.status) ? waysToPay(drawing) : closing(drawing)}
</main>
<script>${copyScript}</script>
</body>
</html>
`;
}

function waysToPay(drawing: Drawing): string {
  const { charge, allowSandbox, words } = drawing;
  if (charge.gateway === 'sandbox' && !allowSandbox) {
    return `<section><p>${words.notPayable}</p></section>`;
  }
  const slip = charge.paymentMethod === 'BOLETO' ? charge.paymentCode : undefined;
  return [
    charge.pixCode === undefined ? '' : pix(charge.pixCode, drawing),
    slip === undefined ? '' : bankSlip(slip, drawing),
    charge.gateway === 'sandbox' ? sandboxButton(drawing) : elsewhere(drawing),
  ].join('\n');
}

function pix(code: string, { qrCode, words }: Drawing): string {
  const { heading, text, qrCode: label, code: field, copy } = words.pix;
  return `<section>
<h2>${heading}</h2>
<p>${text}</p>
${qrCode === undefined ? '' : `<div class="qr" role="img" aria-label="${label}">${qrCode}</div>`}
<label for="pix">${field}</label>
<textarea id="pix" rows="5" readonly>${escapeHtml(code)}</textarea>
${copyButton('pix', copy, words)}
</section>`;
}

function bankSlip(line: string, { words }: Drawing): string {
  const { heading, line: field, copy } = words.slip;
  return `<section>
<h2>${heading}</h2>
<label for="slip">${field}</label>
<textarea id="slip" rows="2" readonly>${escapeHtml(formatBankSlipLine(line))}</textarea>
${copyButton('slip', copy, words)}
</section>`;
}

const copyButton = (field: string, label: string, { copied }: PageWords): string =>
  `<button type="button" class="copy" data-copy="${field}" data-copied="${copied}">${label}</button>`;

function sandboxButton({ charge, words, reais }: Drawing): string {
  return `<form method="post" action="">
<button type="submit" class="pay" id="pay">${escapeHtml(words.pay(reais(charge.totalAmount)))}</button>
<p class="note">${words.sandbox}</p>
</form>`;
}

function elsewhere({ charge: { paymentLink }, words }: Drawing): string {
  return paymentLink === undefined ? '' : `<a class="pay" href="${escapeHtml(paymentLink)}">${words.elsewhere}</a>`;
}

function closing(drawing: Drawing): string {
  const { charge, words, moment } = drawing;
  const when = charge.refundedAt ?? charge.paidAt ?? charge.statusUpdatedAt;
  const [sign, text] = isPaid(charge.status)
    ? ['✓', paidWords(drawing)]
    : charge.status === 'REFUNDED'
      ? ['↺', words.refunded(moment(when))]
      : ['×', words.cancelled];
  return `<section class="closing"><p class="sign ${charge.status.toLowerCase()}" aria-hidden="true">${sign}</p><p>${escapeHtml(text)}</p></section>`;
}

/** The amount received, if it differs from the charge, and the amount returned. */
function paidWords({ charge, words, reais, moment }: Drawing): string {
  const paid = paidOf(charge);
  const back = takenOf(charge);
  return [
    words.received(moment(charge.paidAt ?? charge.statusUpdatedAt)),
    paid === charge.totalAmount ? words.credited : words.creditedInPart(reais(paid), reais(charge.totalAmount)),
    ...(back === 0 ? [] : [words.returned(reais(back))]),
  ].join(' ');
}

const copyScript = `document.addEventListener('click',function(e){var b=e.target.closest('[data-copy]');if(!b)return;
var t=document.getElementById(b.dataset.copy);t.select();
(navigator.clipboard?navigator.clipboard.writeText(t.value):Promise.reject()).catch(function(){document.execCommand('copy')});
var w=b.textContent;b.textContent=b.dataset.copied;setTimeout(function(){b.textContent=w},1500)});`;
