import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ConfirmEmailRequest, ConfirmEmailResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { ServiceError } from '@sabia/service-kit/errors';
import type { Endpoint } from '../api';
import type { Call } from '../clients/service-clients';
import { renderError } from '../errors/render';
import type { Answer } from '../http/answer';
import { personalPageHeaders } from '../http/headers';
import { findUnstorableText } from '../transcoder/json-text';
import { parseTemplate } from '../transcoder/http-rule';
import { escapeHtml, layout } from './layout';

const base = personalPageHeaders();
const template = '/api/v1/accounts/confirm';

/** What a person sees who follows the link in the confirmation e-mail. */
export function createConfirmationPage(confirmEmail: Call): Endpoint {
  return {
    method: 'GET',
    segments: parseTemplate(template),
    template,
    model: 'account',
    access: 'PUBLIC',
    rateLimit: 'OTHER',
    headers: {},
    async answer(exchange) {
      // Mail scanners try a link with HEAD first; the single use of the token belongs to the person.
      if (exchange.method === 'HEAD') {
        return page(200, waiting);
      }
      const { token } = exchange.query();
      if (typeof token !== 'string' || token === '' || findUnstorableText(token) !== undefined) {
        return page(400, refused);
      }
      try {
        const request = Buffer.from(ConfirmEmailRequest.encode({ token }).finish());
        return page(200, confirmed(ConfirmEmailResponse.decode(await confirmEmail(request, exchange.scope()))));
      } catch (error) {
        if (error instanceof ServiceError && error.kind === ErrorKind.BAD_REQUEST) {
          return page(410, refusals[error.code] ?? refused);
        }
        const { unexpected, status, headers } = renderError(error, exchange.requestId);
        if (unexpected || exchange.cancelled) {
          throw error;
        }
        return page(status, later, headers);
      }
    },
  };
}

function page(status: number, body: string, headers: Answer['headers'] = {}): Answer {
  return {
    status,
    body: layout({ title: 'E-mail confirmation · Sabiá', body }),
    contentType: 'text/html; charset=utf-8',
    headers,
    base,
  };
}

const waiting = '<div class="card"><h1>Confirm your e-mail</h1></div>';

function confirmed({ email, domain }: ConfirmEmailResponse): string {
  return `<div class="card">
<div class="mark good" aria-hidden="true">✓</div>
<h1>Your e-mail is confirmed</h1>
<p><strong>${escapeHtml(email)}</strong> is confirmed${domain === '' ? '' : ` and <strong>${escapeHtml(domain)}</strong> is ready for calls`}.</p>
<p class="soft">You can close this page and log in with your e-mail and password, or look at the <a href="/docs">API</a>.</p>
</div>`;
}

const askAgain =
  '<p class="soft">Ask for a new one with <code>POST /api/v1/accounts/resend-confirmation</code> and your e-mail.</p>';

const refusal = (title: string, text: string): string => `<div class="card">
<div class="mark bad" aria-hidden="true">!</div>
<h1>${title}</h1>
${text}
</div>`;

const refused = refusal(
  'This link does not work',
  `<p>It may have been cut off on its way. Open it once more from the e-mail, in full.</p>${askAgain}`,
);

const later = refusal(
  'Not right now',
  '<p>Your e-mail could not be confirmed at the moment. The link is still good: please open it again in a minute.</p>',
);

const refusals: Record<string, string> = {
  TOKEN_USED: refusal(
    'This link has been used',
    '<p>A confirmation link works once, and this one has done its work: your e-mail is confirmed. You can simply log in.</p>',
  ),
  TOKEN_EXPIRED: refusal('This link has expired', `<p>A confirmation link works for 48 hours.</p>${askAgain}`),
};
