import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import {
  GetPaymentPageRequest,
  GetPaymentPageResponse,
  PaySandboxChargeRequest,
  PaySandboxChargeResponse,
} from '@sabia/protos/sabia/billing/v1/messages';
import type { Language } from '@sabia/service-kit/brand/language';
import { ServiceError } from '@sabia/service-kit/errors';
import type { Endpoint } from '../endpoints/endpoint';
import type { SendRpc } from '../clients/service-clients';
import { renderError } from '../errors/render';
import type { Exchange } from '../http/exchange';
import { pageHeaders } from '../http/headers';
import { languageOf } from '../http/reader';
import type { HttpResponse } from '../http/response';
import { parseTemplate } from '../contract/http-rule';
import { heading, personalPage, sign } from './layout';

const template = '/pay/{token}';

/** The page behind a payment link and its button. Billing draws it; the link alone is enough to see it and pay. */
export function createPaymentPages(calls: { getPaymentPage: SendRpc; paySandboxCharge: SendRpc }): Endpoint[] {
  return [
    createPage('GET', async (wanted, scope) => {
      const request = Buffer.from(GetPaymentPageRequest.encode(wanted).finish());
      return GetPaymentPageResponse.decode(await calls.getPaymentPage(request, scope)).html;
    }),
    createPage('POST', async (wanted, scope) => {
      const request = Buffer.from(PaySandboxChargeRequest.encode(wanted).finish());
      return PaySandboxChargeResponse.decode(await calls.paySandboxCharge(request, scope)).html;
    }),
  ];
}

type Draw = (wanted: { token: string; language: Language }, scope: Parameters<SendRpc>[1]) => Promise<string>;

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
        const wanted = { token, language: languageOf(exchange) };
        return page(200, await draw(wanted, exchange.scope({ cancellable: method === 'GET' })));
      } catch (error) {
        if (error instanceof ServiceError && error.kind === ErrorKind.NOT_FOUND) {
          return refusal(404, 'unknown', exchange);
        }
        const { unexpected, status, headers } = renderError(error, exchange.requestId);
        if (unexpected || exchange.cancelled) {
          throw error;
        }
        return refusal(status, 'later', exchange, headers);
      }
    },
  };
}

function page(status: number, body: string): HttpResponse {
  return {
    status,
    body,
    contentType: 'text/html; charset=utf-8',
    headers: { vary: 'Accept-Language' },
    base: pageHeaders(body, { personal: true, forms: true }),
  };
}

function refusal(
  status: number,
  why: keyof Words,
  exchange: Exchange,
  headers?: HttpResponse['headers'],
): HttpResponse {
  const language = languageOf(exchange);
  const { title, text } = words[language][why];
  const body = `<div class="card">
${sign('bad')}
${heading(title)}
<p>${text}</p>
</div>`;
  return personalPage({ status, headers, language, title, body });
}

interface Words {
  unknown: { title: string; text: string };
  later: { title: string; text: string };
}

const words: Record<Language, Words> = {
  'pt-BR': {
    unknown: {
      title: 'Cobrança não encontrada',
      text: 'Este link de pagamento não existe. Ele pode ter sido cortado no caminho: abra-o de novo, por inteiro.',
    },
    later: {
      title: 'Agora não foi possível',
      text: 'O link continua válido, e nada é cobrado duas vezes: abra-o de novo daqui a um minuto.',
    },
  },
  en: {
    unknown: {
      title: 'Charge not found',
      text: 'This payment link does not exist. It may have been cut off on its way: open it again, in full.',
    },
    later: {
      title: 'Not right now',
      text: 'The link is still good, and nothing is charged twice: open it again in a minute.',
    },
  },
};
