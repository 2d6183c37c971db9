import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ServiceError } from '@sabia/service-kit/errors';
import type { Endpoint } from '../endpoints/endpoint';
import { languageOf, wantsPage } from '../http/reader';
import { heading, personalPage, sign } from './layout';
import { linkWords } from './link-words';
import type { AskWords } from './link-words';

/** The forms with which a person asks for a new link by e-mail. */
export const askForms = {
  askConfirmation: '/api/v1/accounts/resend-confirmation',
  askReset: '/api/v1/users/reset',
} as const;

export type AskForm = keyof typeof askForms;

/** The form works without JavaScript: it posts to the route of the API, which answers browsers with a page. */
export const askForm = (name: AskForm, { introduction, email, button }: AskWords, problem = ''): string =>
  `<form method="post" action="${askForms[name]}">
<p>${introduction}</p>
<label for="email">${email}</label>
<input id="email" name="email" type="email" autocomplete="email" required${problem === '' ? '' : ' aria-invalid="true" aria-describedby="problem"'}>
${problem === '' ? '' : `<p class="problem" id="problem">${problem}</p>`}
<p class="actions"><button class="button">${button}</button></p>
</form>`;

/** The response to a form is the same for every address, so that it tells nothing about who is a user. */
export function createAskPage(name: AskForm, route: Endpoint): Endpoint {
  return {
    ...route,
    async respond(exchange, parameters) {
      if (!wantsPage(exchange)) {
        return route.respond(exchange, parameters);
      }
      const language = languageOf(exchange);
      const words = linkWords[language][name];
      const { title, text } = words.sent;
      try {
        const { status } = await route.respond(exchange, parameters);
        return personalPage({
          status,
          language,
          title,
          body: `<div class="card">${sign('mail')}${heading(title)}<p>${text}</p></div>`,
        });
      } catch (error) {
        if (error instanceof ServiceError && error.kind === ErrorKind.VALIDATION) {
          return personalPage({
            status: 422,
            language,
            title,
            body: `<div class="card">${askForm(name, words, words.invalid)}</div>`,
          });
        }
        throw error;
      }
    },
  };
}
