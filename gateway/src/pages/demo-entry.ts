import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { CreateSessionRequest, CreateSessionResponse } from '@sabia/protos/sabia/identity/v1/messages';
import type { Language } from '@sabia/service-kit/brand/language';
import { ServiceError, unavailable } from '@sabia/service-kit/errors';
import type { ConsoleCookie } from '../access/console-cookie';
import type { SendRpc } from '../clients/service-clients';
import { parseTemplate } from '../contract/http-rule';
import type { Endpoint } from '../endpoints/endpoint';
import type { Exchange } from '../http/exchange';
import { languageOf } from '../http/reader';
import type { HttpResponse } from '../http/response';
import { heading, personalPage, sign } from './layout';

/** A link that enters the console as the demo user. Stacks on one machine have it, the chart never. */
export interface DemoEntry {
  key: string;
  /** JSON with the e-mail and the password of the demo user, who is created after the gateway has started. */
  file: string;
}

const template = '/demo';

export function createDemoEntry({ key, file }: DemoEntry, createSession: SendRpc, cookie: ConsoleCookie): Endpoint {
  return {
    method: 'GET',
    segments: parseTemplate(template),
    template,
    model: 'session',
    access: 'PUBLIC',
    rateLimit: 'LOGIN',
    headers: {},
    async respond(exchange) {
      const { key: given } = exchange.query();
      if (typeof given !== 'string' || !isSame(given, key)) {
        return refusal(exchange, 'wrongKey');
      }
      try {
        const request = Buffer.from(CreateSessionRequest.encode(await readCredentials(file)).finish());
        const session = CreateSessionResponse.decode(await createSession(request, exchange.scope()));
        return { status: 303, headers: { location: '/console/', 'set-cookie': cookie.begin(session) } };
      } catch (error) {
        if (error instanceof ServiceError && error.kind === ErrorKind.UNAUTHENTICATED) {
          return refusal(exchange, 'newPassword');
        }
        throw error;
      }
    },
  };
}

async function readCredentials(file: string): Promise<CreateSessionRequest> {
  try {
    const { email, password } = JSON.parse(await readFile(file, 'utf8')) as Partial<CreateSessionRequest>;
    if (email !== undefined && password !== undefined) {
      return { email, password };
    }
  } catch {
    // There is no file yet, or it is being written.
  }
  throw unavailable('The demo account does not exist yet.', 1);
}

/** Takes the same time wherever the first difference is. */
function isSame(given: string, key: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(key));
}

interface Words {
  title: string;
  wrongKey: string;
  newPassword: string;
}

const dictionaries: Record<Language, Words> = {
  'pt-BR': {
    title: 'A demonstração não abriu',
    wrongKey: 'Este link não abre a demonstração. Use o que <code>npm start</code> mostrou por último.',
    newPassword: 'A senha da demonstração foi trocada. <a href="/console/login">Entre com a nova</a>.',
  },
  en: {
    title: 'The demo did not open',
    wrongKey: 'This link does not open the demo. Use the one that <code>npm start</code> showed last.',
    newPassword: 'The password of the demo was changed. <a href="/console/login">Log in with the new one</a>.',
  },
};

function refusal(exchange: Exchange, why: 'wrongKey' | 'newPassword'): HttpResponse {
  const language = languageOf(exchange);
  const { title, [why]: text } = dictionaries[language];
  const body = `<div class="card">${sign('bad')}${heading(title)}<p>${text}</p></div>`;
  return personalPage({ status: 403, language, title, body });
}
