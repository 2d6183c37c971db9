import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { OpenProvisioningRequest, OpenProvisioningResponse } from '@sabia/protos/sabia/extensions/v1/messages';
import { escapeHtml } from '@sabia/service-kit/brand/html';
import type { Language } from '@sabia/service-kit/brand/language';
import { ServiceError } from '@sabia/service-kit/errors';
import type { SendRpc } from '../clients/service-clients';
import { parseTemplate } from '../contract/http-rule';
import type { Endpoint } from '../endpoints/endpoint';
import type { Exchange } from '../http/exchange';
import { languageOf } from '../http/reader';
import type { HttpResponse } from '../http/response';
import { heading, personalPage, sign } from './layout';

const template = '/provision/{token}';

export interface ProvisioningOptions {
  openProvisioning: SendRpc;
  /** Whether softphones reach the gateway by https. */
  secure: boolean;
}

/**
 * The settings behind a link for softphones. Others open it as well: the camera of a telephone in its browser, messengers for a
 * preview. They get a page that says what to do with it, and the link stays good.
 */
export function createProvisioningPage({ openProvisioning, secure }: ProvisioningOptions): Endpoint {
  async function open(token: string, onlyLook: boolean, exchange: Exchange): Promise<string> {
    const request = Buffer.from(OpenProvisioningRequest.encode({ token, onlyLook }).finish());
    return OpenProvisioningResponse.decode(await openProvisioning(request, exchange.scope())).document;
  }

  return {
    method: 'GET',
    segments: parseTemplate(template),
    template,
    model: 'provisioning',
    access: 'PUBLIC',
    rateLimit: 'OTHER',
    headers: {},
    async respond(exchange, [token = '']) {
      const sets = isLinphone(exchange);
      try {
        const document = await open(token, !sets || exchange.method === 'HEAD', exchange);
        return sets
          ? { status: 200, body: document, contentType: 'application/xml; charset=utf-8' }
          : instructions(languageOf(exchange), secure ? appLink(exchange) : undefined);
      } catch (error) {
        if (error instanceof ServiceError && error.kind === ErrorKind.NOT_FOUND) {
          return sets ? plain(404, `${error.message}\n`) : expired(languageOf(exchange));
        }
        throw error;
      }
    },
  };
}

/**
 * Linphone 5 and later mark the request by a header; before, only the name tells: "LinphoneAndroid/6.0.4 (Pixel 7) LinphoneSDK/5.4.20",
 * "Linphone/3.12.0 (belle-sip/1.6.3)".
 */
const isLinphone = ({ request: { headers } }: Exchange): boolean =>
  headers['x-linphone-provisioning'] !== undefined || /linphone|belle-sip/i.test(headers['user-agent'] ?? '');

const plain = (status: number, body: string): HttpResponse => ({
  status,
  body,
  contentType: 'text/plain; charset=utf-8',
});

/** Linphone registers this scheme on telephones, and fetches the same address by https. */
const appLink = ({ request, path }: Exchange): string => `linphone-config://${request.headers.host ?? ''}${path}`;

function instructions(language: Language, address: string | undefined): HttpResponse {
  const { title, text, open } = words[language].good;
  const button =
    address === undefined ? '' : `<p class="actions"><a class="button" href="${escapeHtml(address)}">${open}</a></p>`;
  return page(200, language, title, `${sign('good')}\n${heading(title)}\n<p>${text}</p>\n${button}`);
}

function expired(language: Language): HttpResponse {
  const { title, text, console } = words[language].expired;
  const button = `<p class="actions"><a class="button" href="/console/extensions">${console}</a></p>`;
  return page(404, language, title, `${sign('bad')}\n${heading(title)}\n<p>${text}</p>\n${button}`);
}

const page = (status: number, language: Language, title: string, card: string): HttpResponse =>
  personalPage({ status, language, title, body: `<div class="card">\n${card}\n</div>` });

interface Words {
  good: { title: string; text: string; open: string };
  expired: { title: string; text: string; console: string };
}

const words: Record<Language, Words> = {
  'pt-BR': {
    good: {
      title: 'Abra este link no Linphone',
      text: 'Ele configura o aplicativo Linphone para o seu ramal e vale por poucos minutos. No Linphone, escolha ler um QR code e aponte a câmera para o código no console.',
      open: 'Abrir no Linphone',
    },
    expired: {
      title: 'Este link não vale mais',
      text: 'Links de configuração valem por 15 minutos e deixam de valer logo depois que um telefone os usa. Gere um novo na página do ramal, no console.',
      console: 'Abrir os ramais',
    },
  },
  en: {
    good: {
      title: 'Open this link in Linphone',
      text: 'It sets up the app Linphone for your extension, and is good for a few minutes. In Linphone, choose to scan a QR code and point the camera at the code in the console.',
      open: 'Open in Linphone',
    },
    expired: {
      title: 'This link is no longer valid',
      text: 'Set-up links are good for 15 minutes, and end soon after a phone has used them. Make a new one on the page of the extension, in the console.',
      console: 'Open the extensions',
    },
  },
};
