import { escapeHtml } from '@sabia/service-kit/brand/html';
import type { Language } from '@sabia/service-kit/brand/language';
import type { RenderedError } from '../errors/render';
import type { Exchange } from '../http/exchange';
import { languageOf } from '../http/reader';
import type { HttpResponse } from '../http/response';
import { heading, personalPage, sign } from './layout';

interface Words {
  title: string;
  text: string;
}

type Kind =
  | 'login'
  | 'denied'
  | 'badRecordingLink'
  | 'missing'
  | 'missingRecording'
  | 'expiredRecording'
  | 'method'
  | 'tooMany'
  | 'refused'
  | 'away'
  | 'broken';

interface Dictionary extends Record<Kind, Words> {
  requestId: string;
  again: string;
  home: string;
  console: string;
  logIn: string;
}

const dictionaries: Record<Language, Dictionary> = {
  'pt-BR': {
    login: {
      title: 'Entre para ver isto',
      text: 'Este endereço mostra dados de uma conta. Entre no console para vê-los.',
    },
    denied: { title: 'Acesso negado', text: 'Você não tem permissão para ver o que há neste endereço.' },
    badRecordingLink: {
      title: 'Este link de gravação não vale',
      text: 'A assinatura do endereço não confere: o link pode ter sido cortado no caminho. Copie-o de novo, por inteiro, ou ouça a gravação na página da chamada, no console.',
    },
    missing: {
      title: 'Página não encontrada',
      text: 'Não há nada neste endereço. Ele pode ter sido digitado errado ou cortado no caminho.',
    },
    missingRecording: {
      title: 'Gravação não encontrada',
      text: 'Ela pode ter sido excluída, ou ainda não está pronta. A página da chamada, no console, diz mais.',
    },
    expiredRecording: {
      title: 'Esta gravação não é mais guardada',
      text: 'O prazo pelo qual as gravações desta conta são guardadas terminou.',
    },
    method: {
      title: 'Este endereço não é uma página',
      text: 'Ele existe, mas serve a programas, não ao navegador.',
    },
    tooMany: {
      title: 'Um momento, por favor',
      text: 'Vieram pedidos demais em pouco tempo. Tente de novo daqui a {seconds} s.',
    },
    refused: {
      title: 'Não entendemos este endereço',
      text: 'Ele contém algo que não conseguimos ler. Abra-o de novo, por inteiro.',
    },
    away: {
      title: 'Agora não foi possível',
      text: 'Uma parte do serviço não respondeu a tempo. Nada se perdeu: tente de novo em um minuto.',
    },
    broken: {
      title: 'Algo deu errado do nosso lado',
      text: 'O erro já está registrado. Se ele voltar, informe ao suporte o número do pedido.',
    },
    requestId: 'Número do pedido',
    again: 'Tentar de novo',
    home: 'Página inicial',
    console: 'Abrir o console',
    logIn: 'Entrar',
  },
  en: {
    login: {
      title: 'Log in to see this',
      text: 'This address shows the data of an account. Log in to the console to see it.',
    },
    denied: { title: 'Access denied', text: 'You may not see what is at this address.' },
    badRecordingLink: {
      title: 'This recording link is not valid',
      text: 'The signature in the address does not match: the link may have been cut off on its way. Copy it again, in full, or listen to the recording on the page of its call, in the console.',
    },
    missing: {
      title: 'Page not found',
      text: 'There is nothing at this address. It may have been mistyped or cut off on its way.',
    },
    missingRecording: {
      title: 'Recording not found',
      text: 'It may have been deleted, or it is not ready yet. The page of its call, in the console, says more.',
    },
    expiredRecording: {
      title: 'This recording is no longer kept',
      text: 'The time for which recordings of this account are kept is over.',
    },
    method: { title: 'This address is not a page', text: 'It exists, but for programs, not for browsers.' },
    tooMany: {
      title: 'One moment, please',
      text: 'Too many requests came in a short time. Try again in {seconds} s.',
    },
    refused: {
      title: 'We do not understand this address',
      text: 'It contains something that we cannot read. Open it again, in full.',
    },
    away: {
      title: 'Not right now',
      text: 'A part of the service did not answer in time. Nothing is lost: try again in a minute.',
    },
    broken: {
      title: 'Something went wrong on our side',
      text: 'The error has been recorded. If it comes back, tell support the request number.',
    },
    requestId: 'Request number',
    again: 'Try again',
    home: 'Home page',
    console: 'Open the console',
    logIn: 'Log in',
  },
};

/** An error for a person in a browser: what happened, what to do, and the request id. Status and headers are those for programs. */
export function errorPage(exchange: Exchange, { status, headers, code }: RenderedError): HttpResponse {
  const language = languageOf(exchange);
  const words = dictionaries[language];
  const kind = code === 'RECORDING_EXPIRED' ? 'expiredRecording' : kindOf(status, exchange.model);
  const { title, text } = words[kind];
  const told = text.replace('{seconds}', headers?.['retry-after'] ?? '60');
  return personalPage({
    status,
    headers,
    language,
    title,
    body: `<div class="card">
${sign('bad')}
${heading(title)}
<p>${told}</p>
<p class="actions">${actions(kind, exchange.method, words)}</p>
<p class="request">${words.requestId}: <code>${escapeHtml(exchange.requestId)}</code></p>
</div>`,
  });
}

function kindOf(status: number, model: string): Kind {
  const ofRecording = model === 'recording';
  if (status >= 500) {
    return status === 503 || status === 504 ? 'away' : 'broken';
  }
  switch (status) {
    case 401:
      return 'login';
    case 403:
      return ofRecording ? 'badRecordingLink' : 'denied';
    case 404:
      return ofRecording ? 'missingRecording' : 'missing';
    case 405:
      return 'method';
    case 429:
      return 'tooMany';
    default:
      return 'refused';
  }
}

function actions(kind: Kind, method: string, words: Dictionary): string {
  if (kind === 'login') {
    return link('/console/login', words.logIn) + link('/', words.home, 'quiet');
  }
  // An empty address is that of the page; a form cannot be sent again by a link.
  const passes = kind === 'tooMany' || kind === 'away' || kind === 'broken';
  return passes && method !== 'POST'
    ? link('', words.again) + link('/', words.home, 'quiet')
    : link('/console/', words.console) + link('/', words.home, 'quiet');
}

const link = (address: string, label: string, kind = ''): string =>
  `<a class="button${kind === '' ? '' : ` ${kind}`}" href="${address}">${label}</a>`;
