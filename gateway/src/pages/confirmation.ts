import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { GetConfirmationRequest, GetConfirmationResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { ServiceError } from '@sabia/service-kit/errors';
import type { Endpoint } from '../endpoints/endpoint';
import type { SendRpc } from '../clients/service-clients';
import { renderError } from '../errors/render';
import type { HttpResponse } from '../http/response';
import { personalPageHeaders } from '../http/headers';
import { findUnstorableText } from '../transcoder/request/scalar-readers';
import { parseTemplate } from '../contract/http-rule';
import { escapeHtml, layout } from './layout';
import { passwordForm } from './password-form';

const base = personalPageHeaders();
const template = '/api/v1/accounts/confirm';

/**
 * The page behind the link in a confirmation e-mail: a form. Opening it changes nothing, because mail scanners open it too; the
 * form sends token and password by POST to the same path, which confirms.
 */
export function createConfirmationPage(getConfirmation: SendRpc): Endpoint {
  return {
    method: 'GET',
    segments: parseTemplate(template),
    template,
    model: 'account',
    access: 'PUBLIC',
    rateLimit: 'OTHER',
    headers: {},
    async respond(exchange) {
      const { token } = exchange.query();
      if (typeof token !== 'string' || token === '' || findUnstorableText(token) !== undefined) {
        return page(400, refused);
      }
      try {
        const request = Buffer.from(GetConfirmationRequest.encode({ token }).finish());
        return form(token, GetConfirmationResponse.decode(await getConfirmation(request, exchange.scope())));
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

function form(token: string, { email, domain, changesEmail }: GetConfirmationResponse): HttpResponse {
  const address = `<strong>${escapeHtml(email)}</strong>`;
  const account = `<strong>${escapeHtml(domain)}</strong>`;
  return changesEmail
    ? passwordForm({
        title: 'E-mail confirmation',
        heading: 'Confirm your new e-mail address',
        introduction: `<p>${address} becomes the address of your user of ${account}. Please enter its password.</p>`,
        label: 'Your password',
        button: 'Confirm',
        done: 'Your e-mail is confirmed. From now on you log in with it.',
        token,
        current: true,
      })
    : passwordForm({
        title: 'E-mail confirmation',
        heading: 'Confirm your e-mail address',
        introduction: `<p>${address} opens ${account}. Enter the password with which you will log in: the one that you chose before, or another.</p>`,
        label: 'Your password, at least eight characters',
        button: 'Confirm',
        done: 'Your e-mail is confirmed. You can log in with it and your password now.',
        token,
      });
}

function page(status: number, body: string, headers: HttpResponse['headers'] = {}): HttpResponse {
  return {
    status,
    body: layout({ title: 'E-mail confirmation · Sabiá', body }),
    contentType: 'text/html; charset=utf-8',
    headers,
    base,
  };
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
  `<p>It may have been cut off on its way, or replaced by a newer one. Open it once more from the newest e-mail, in full.</p>${askAgain}`,
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
