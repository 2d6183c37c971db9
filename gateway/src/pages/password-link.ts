import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { escapeHtml } from '@sabia/service-kit/brand/html';
import type { Language } from '@sabia/service-kit/brand/language';
import { ServiceError } from '@sabia/service-kit/errors';
import type { Endpoint } from '../endpoints/endpoint';
import type { Exchange } from '../http/exchange';
import { languageOf, wantsPage } from '../http/reader';
import type { HttpResponse } from '../http/response';
import { findUnstorableText } from '../transcoder/request/scalar-readers';
import { askForm } from './ask-link';
import type { AskForm } from './ask-link';
import { heading, personalPage, sign } from './layout';
import { linkWords } from './link-words';
import type { FormWords, LinkWords } from './link-words';

/** A link that can be used, and what its page asks. */
export interface FoundLink {
  email: string;
  words: FormWords;
  /** The present password is entered; otherwise a new one is chosen. */
  current?: boolean;
}

export interface PasswordLink {
  kind: 'confirm' | 'reset' | 'undo';
  /** With which a new link can be asked for. */
  renewal?: AskForm;
  /** Throws TOKEN_USED, TOKEN_EXPIRED or INVALID_TOKEN. */
  find(token: string, exchange: Exchange, language: Language): Promise<FoundLink>;
}

const refusals: Record<string, 'used' | 'expired'> = { TOKEN_USED: 'used', TOKEN_EXPIRED: 'expired' };

/**
 * The pages behind a mailed link: a form for a password, its outcome, and what to do when the link cannot be used. Opening it
 * changes nothing, because mail scanners open it too; the form posts to the route of the API at the same path.
 */
export function createPasswordLinkPages({ kind, renewal, find }: PasswordLink, route: Endpoint): Endpoint[] {
  async function show(exchange: Exchange, token: unknown, problem?: string): Promise<HttpResponse> {
    const language = languageOf(exchange);
    if (typeof token !== 'string' || token === '' || findUnstorableText(token) !== undefined) {
      return refuse(400, 'unknown', language);
    }
    try {
      return form(token, await find(token, exchange, language), language, problem);
    } catch (error) {
      if (error instanceof ServiceError && error.kind === ErrorKind.BAD_REQUEST) {
        return refuse(410, refusals[error.code] ?? 'unknown', language);
      }
      throw error;
    }
  }

  function refuse(status: number, why: 'used' | 'expired' | 'unknown', language: Language): HttpResponse {
    const words = linkWords[language];
    const own: LinkWords = words[kind];
    const { title, text } = own[why];
    // Whoever used a link to confirm has nothing left to ask for.
    const asks = renewal !== undefined && !(kind === 'confirm' && why === 'used');
    const next = asks ? askForm(renewal, words[renewal]) : why === 'used' ? logIn(words.logIn) : '';
    return personalPage({ status, language, title, body: card('bad', title, text, next) });
  }

  function done(language: Language): HttpResponse {
    const words = linkWords[language];
    const { title, text } = words[kind].done;
    return personalPage({ status: 200, language, title, body: card('good', title, text, logIn(words.logIn)) });
  }

  return [
    {
      ...route,
      method: 'GET',
      respond: (exchange) => show(exchange, exchange.query()['token']),
    },
    {
      ...route,
      async respond(exchange, parameters) {
        if (!wantsPage(exchange)) {
          return route.respond(exchange, parameters);
        }
        const language = languageOf(exchange);
        try {
          await route.respond(exchange, parameters);
          return done(language);
        } catch (error) {
          const isRefused =
            error instanceof ServiceError &&
            (error.kind === ErrorKind.VALIDATION || error.kind === ErrorKind.BAD_REQUEST);
          if (!isRefused) {
            throw error;
          }
          const { token } = (await exchange.body()).values;
          return show(exchange, token, problemOf(error, language));
        }
      },
    },
  ];
}

/** What is wrong with the fields, in words; the state of the link itself is found out by looking at it again. */
function problemOf({ violations }: ServiceError, language: Language): string | undefined {
  const words = linkWords[language];
  const wrong = violations.find(({ field }) => field === 'password' || field === 'email');
  if (wrong?.field === 'email') {
    return words.emailTaken;
  }
  switch (wrong?.code) {
    case undefined:
      return undefined;
    case 'mismatch':
      return words.passwordWrong;
    case 'presence':
      return words.passwordBlank;
    default:
      return words.passwordLength;
  }
}

function form(token: string, { email, words, current }: FoundLink, language: Language, problem?: string): HttpResponse {
  const { title, introduction, hint, button } = words;
  const note =
    problem === undefined
      ? hint && `<p class="hint" id="note">${hint}</p>`
      : `<p class="problem" id="note" role="alert">${problem}</p>`;
  return personalPage({
    status: problem === undefined ? 200 : 422,
    language,
    title,
    body: `<div class="card">
${heading(title)}
<p>${introduction}</p>
<form method="post">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<label for="email">${words.email}</label>
<input id="email" type="email" value="${escapeHtml(email)}" autocomplete="username" readonly>
<label for="password">${words.password}</label>
<input id="password" name="password" type="password" ${current ? '' : 'minlength="8" '}maxlength="256" autocomplete="${current ? 'current' : 'new'}-password" required autofocus${note === undefined ? '' : ' aria-describedby="note"'}${problem === undefined ? '' : ' aria-invalid="true"'}>
${note ?? ''}
<p class="actions"><button class="button">${button}</button></p>
</form>
</div>`,
  });
}

const card = (kind: 'good' | 'bad', title: string, text: string, next: string): string =>
  `<div class="card">
${sign(kind)}
${heading(title)}
<p>${text}</p>
${next}
</div>`;

const logIn = (label: string): string => `<p class="actions"><a class="button" href="/console/login">${label}</a></p>`;
