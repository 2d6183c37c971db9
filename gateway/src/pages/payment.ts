import { createHash } from 'node:crypto';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import {
  GetPaymentPageRequest,
  GetPaymentPageResponse,
  PaySandboxChargeRequest,
  PaySandboxChargeResponse,
} from '@sabia/protos/sabia/billing/v1/messages';
import { ServiceError } from '@sabia/service-kit/errors';
import type { Endpoint } from '../endpoints/endpoint';
import type { SendRpc } from '../clients/service-clients';
import { renderError } from '../errors/render';
import type { HeaderList, HttpResponse } from '../http/response';
import { personalPageHeaders } from '../http/headers';
import { parseTemplate } from '../contract/http-rule';
import { layout } from './layout';

const template = '/pay/{token}';

/** The page behind a payment link and its button. Billing draws it; the link alone is enough to see it and pay. */
export function createPaymentPages(calls: { getPaymentPage: SendRpc; paySandboxCharge: SendRpc }): Endpoint[] {
  return [
    createPage('GET', async (token, scope) => {
      const request = Buffer.from(GetPaymentPageRequest.encode({ token }).finish());
      return GetPaymentPageResponse.decode(await calls.getPaymentPage(request, scope)).html;
    }),
    createPage('POST', async (token, scope) => {
      const request = Buffer.from(PaySandboxChargeRequest.encode({ token }).finish());
      return PaySandboxChargeResponse.decode(await calls.paySandboxCharge(request, scope)).html;
    }),
  ];
}

type Draw = (token: string, scope: Parameters<SendRpc>[1]) => Promise<string>;

function createPage(method: 'GET' | 'POST', draw: Draw): Endpoint {
  return {
    method,
    segments: parseTemplate(template),
    template,
    model: 'payment',
    access: 'PUBLIC',
    rateLimit: 'OTHER',
    headers: {},
    async respond(exchange, [token = '']) {
      await exchange.ignoreBody();
      try {
        // A payment goes on even if the payer closes the page after pressing the button.
        const html = await draw(token, exchange.scope({ cancellable: method === 'GET' }));
        return page(200, html, headersFor(html));
      } catch (error) {
        if (error instanceof ServiceError && error.kind === ErrorKind.NOT_FOUND) {
          return page(404, unknown);
        }
        const { unexpected, status, headers } = renderError(error, exchange.requestId);
        if (unexpected || exchange.cancelled) {
          throw error;
        }
        return { ...page(status, later), headers };
      }
    },
  };
}

/** Allows the script at the end of billing's page by its hash; a script injected before it may not run. */
function headersFor(html: string): HeaderList {
  const script = /<script>([^]*)<\/script>/.exec(html.slice(Math.max(0, html.lastIndexOf('<script>'))))?.[1];
  const hash = createHash('sha256')
    .update(script ?? '')
    .digest('base64');
  return personalPageHeaders(script === undefined ? '' : `; script-src 'sha256-${hash}'`, "'self'");
}

function page(status: number, body: string, base = personalPageHeaders()): HttpResponse {
  return { status, body, contentType: 'text/html; charset=utf-8', base };
}

/** In Portuguese, like the payment page itself. */
const refusal = (title: string, text: string): string =>
  layout({
    title: `${title} · Sabiá`,
    language: 'pt-BR',
    body: `<div class="card">
<div class="mark bad" aria-hidden="true">!</div>
<h1>${title}</h1>
<p>${text}</p>
</div>`,
  });

const unknown = refusal(
  'Cobrança não encontrada',
  'Este link de pagamento não existe. Ele pode ter sido cortado no caminho: abra-o de novo, por inteiro.',
);

const later = refusal(
  'Agora não foi possível',
  'O link continua válido, e nada é cobrado duas vezes: abra-o de novo daqui a um minuto.',
);
