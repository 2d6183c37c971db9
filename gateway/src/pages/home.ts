import { escapeHtml } from '@sabia/service-kit/brand/html';
import type { Language } from '@sabia/service-kit/brand/language';
import { layout } from './layout';
import { homeStyle } from './style';

interface Point {
  title: string;
  text: string;
}

interface Words {
  heading: string;
  lead: string;
  signUp: string;
  console: string;
  call: string;
  hear: string;
  phone: Point;
  api: Point;
  webhooks: Point;
  credit: Point;
}

const dictionaries: Record<Language, Words> = {
  'pt-BR': {
    heading: 'Telefonia que o seu sistema entende.',
    lead: 'O Sabiá faz e recebe ligações, grava, cuida do crédito e conta cada passo ao seu sistema. Código aberto, na sua própria infraestrutura.',
    signUp: 'Criar uma conta',
    console: 'Abrir o console',
    call: 'Uma ligação é uma requisição:',
    hear: 'E o seu sistema fica sabendo quando ela termina:',
    phone: {
      title: 'Telefone no navegador',
      text: 'Ligue e atenda pelo console, sem instalar nada. Softphones SIP também servem.',
    },
    api: {
      title: 'Uma API REST inteira',
      text: 'Ligações, ramais, usuários e cobranças, com cada rota na referência e no documento OpenAPI.',
    },
    webhooks: {
      title: 'Webhooks que chegam',
      text: 'Assinados, repetidos até que o destino responda, com o histórico de cada entrega.',
    },
    credit: {
      title: 'Crédito pré-pago',
      text: 'Recarga por PIX, boleto ou cartão, e o preço de cada ligação segundos depois dela.',
    },
  },
  en: {
    heading: 'Telephony that your system understands.',
    lead: 'Sabiá places and takes calls, records them, minds the credit and tells your system every step. Open source, on your own infrastructure.',
    signUp: 'Create an account',
    console: 'Open the console',
    call: 'A call is one request:',
    hear: 'And your system hears when it ends:',
    phone: {
      title: 'A phone in the browser',
      text: 'Call and answer from the console, with nothing to install. SIP softphones work as well.',
    },
    api: {
      title: 'A whole REST API',
      text: 'Calls, extensions, users and charges, with every route in the reference and in the OpenAPI document.',
    },
    webhooks: {
      title: 'Webhooks that arrive',
      text: 'Signed, repeated until the receiver answers, with the history of every delivery.',
    },
    credit: {
      title: 'Prepaid credit',
      text: 'Top up by PIX, bank slip or card, and see the price of each call seconds after it.',
    },
  },
};

export function homePage(publicUrl: string, language: Language): string {
  const words = dictionaries[language];
  return layout({
    language,
    style: homeStyle,
    body: `<div class="hero">
<div>
<h1>${words.heading}</h1>
<p class="lead">${words.lead}</p>
<p class="actions"><a class="button" href="/console/signup">${words.signUp}</a><a class="button quiet" href="/console/">${words.console}</a></p>
</div>
<div class="code">
<p>${words.call}</p>
<pre>curl <b>${escapeHtml(publicUrl)}/api/v1/calls</b> \\
  -H 'Authorization: &lt;token&gt;' \\
  -H 'Content-Type: application/json' \\
  -d '{"extension": "1000",
       "called": "+55 11 98765-4321"}'</pre>
<p>${words.hear}</p>
<pre>{"eventType": <b>"channel-hangup"</b>,
 "hangupCause": "NORMAL_CLEARING",
 "duration": 42, …}</pre>
</div>
</div>
<ul class="points">
${point(words.phone, icons.phone)}
${point(words.api, icons.api)}
${point(words.webhooks, icons.webhooks)}
${point(words.credit, icons.credit)}
</ul>`,
  });
}

const point = ({ title, text }: Point, icon: string): string =>
  `<li><svg width="28" height="28" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${icon}</svg><h2>${title}</h2><p>${text}</p></li>`;

const icons = {
  phone:
    '<path d="M6.5 3.500h2.800l1.5 4-2 1.600a12 12 0 0 0 6.1 6.100l1.6-2 4 1.500v2.800a2 2 0 0 1-2.2 2A16.5 16.5 0 0 1 4.5 5.700a2 2 0 0 1 2-2.200z"/>',
  api: '<path d="m8 7-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14"/>',
  webhooks: '<path d="M4 12h13M12 6.5 17.5 12 12 17.500M21 5v14"/>',
  credit: '<rect x="3" y="5.5" width="18" height="13" rx="2.5"/><path d="M3 10h18M7 14.500h3"/>',
};
