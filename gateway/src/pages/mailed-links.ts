import { escapeHtml } from '@sabia/service-kit/brand/html';
import {
  GetConfirmationRequest,
  GetConfirmationResponse,
  GetPasswordLinkRequest,
  GetPasswordLinkResponse,
  PasswordLinkPurpose,
} from '@sabia/protos/sabia/identity/v1/messages';
import type { SendRpc } from '../clients/service-clients';
import type { Endpoint } from '../endpoints/endpoint';
import { askForms, createAskPage } from './ask-link';
import { linkWords } from './link-words';
import { createPasswordLinkPages } from './password-link';
import type { PasswordLink } from './password-link';

export interface MailedLinks {
  getConfirmation: SendRpc;
  getPasswordLink: SendRpc;
  /** The route of the API to which the form at this path posts. */
  routeOf(path: string): Endpoint;
}

/** The pages behind all links in mails, and behind the forms that ask for new ones. */
export function createMailedLinkPages({ getConfirmation, getPasswordLink, routeOf }: MailedLinks): Endpoint[] {
  return [
    ...createPasswordLinkPages(confirmation(getConfirmation), routeOf('/api/v1/accounts/confirm')),
    ...createPasswordLinkPages(
      { ...newPassword('reset', PasswordLinkPurpose.RESET_PASSWORD, getPasswordLink), renewal: 'askReset' },
      routeOf('/api/v1/users/reset-password'),
    ),
    ...createPasswordLinkPages(
      newPassword('undo', PasswordLinkPurpose.UNDO_EMAIL_CHANGE, getPasswordLink),
      routeOf('/api/v1/users/undo-email-change'),
    ),
    createAskPage('askConfirmation', routeOf(askForms.askConfirmation)),
    createAskPage('askReset', routeOf(askForms.askReset)),
  ];
}

function confirmation(getConfirmation: SendRpc): PasswordLink {
  return {
    kind: 'confirm',
    renewal: 'askConfirmation',
    async find(token, exchange, language) {
      const request = Buffer.from(GetConfirmationRequest.encode({ token }).finish());
      const found = GetConfirmationResponse.decode(await getConfirmation(request, exchange.scope()));
      const { confirm } = linkWords[language];
      const words = found.changesEmail ? confirm.changedEmail : confirm.newUser;
      return {
        email: found.email,
        words: words(escapeHtml(found.domain)),
        current: found.changesEmail,
      };
    },
  };
}

function newPassword(kind: 'reset' | 'undo', purpose: PasswordLinkPurpose, getPasswordLink: SendRpc): PasswordLink {
  return {
    kind,
    async find(token, exchange, language) {
      const request = Buffer.from(GetPasswordLinkRequest.encode({ token, purpose }).finish());
      const { email } = GetPasswordLinkResponse.decode(await getPasswordLink(request, exchange.scope()));
      return { email, words: linkWords[language][kind].form };
    },
  };
}
