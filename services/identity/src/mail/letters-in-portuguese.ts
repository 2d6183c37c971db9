import type { Letters } from './letter';

const language = 'pt-BR';

const confirmNotes = [
  'O link funciona uma vez e por 48 horas.',
  'Se você não sabe do que se trata, ignore este e-mail.',
];

const undoNotes = [
  'O link funciona por sete dias. Ele também encerra a sessão em todos os dispositivos.',
  'Se foi você, não precisa fazer nada.',
];

/** The reasons as the webhook service writes them. */
const reasons: Record<string, string> = {
  'The receiver answered 410 Gone.': 'o destino respondeu que não existe mais (410).',
  'Five days of nothing but failures.': 'foram cinco dias só de falhas.',
  'The user who owned the integration was deleted.': 'o usuário dono da integração foi excluído.',
};

export const portuguese: Letters = {
  confirmAccount: ({ domain }, link) => ({
    language,
    subject: 'Confirme seu e-mail para ativar sua conta no Sabiá',
    preview: `Falta um passo para ${domain} começar a ligar.`,
    heading: 'Boas-vindas ao Sabiá',
    paragraphs: [
      `Obrigado pelo cadastro. Sua conta ${domain} está quase pronta.`,
      'Confirme que este e-mail é seu e informe sua senha. A conta fica ativa na hora.',
    ],
    button: { label: 'Ativar minha conta', link },
    notes: [
      'O link funciona uma vez e por 48 horas.',
      'Se você não fez este cadastro, ignore este e-mail: sem a confirmação a conta não pode ser usada e é excluída depois de uma semana.',
    ],
  }),

  confirmUser: ({ name, domain }, link) => ({
    language,
    subject: 'Confirme seu e-mail',
    preview: 'Confirme que este e-mail é seu e escolha sua senha.',
    heading: 'Confirme seu e-mail',
    paragraphs: [
      `Olá, ${name}.`,
      `Este e-mail foi informado para um usuário de ${domain}. Confirme que ele é seu e escolha sua senha; depois disso você já pode entrar.`,
    ],
    button: { label: 'Confirmar meu e-mail', link },
    notes: confirmNotes,
  }),

  confirmChange: ({ email, domain }, link) => ({
    language,
    subject: 'Confirme seu e-mail',
    preview: `Confirme que ${email} é o seu novo e-mail.`,
    heading: 'Confirme seu novo e-mail',
    paragraphs: [
      `Um usuário de ${domain} quer usar este e-mail a partir de agora.`,
      'Se é você, confirme com a sua senha. Até lá nada muda.',
    ],
    button: { label: 'Confirmar meu e-mail', link },
    notes: confirmNotes,
  }),

  resetPassword: ({ name, email }, link) => ({
    language,
    subject: 'Redefina sua senha do Sabiá',
    preview: 'Escolha uma nova senha. O link funciona por uma hora.',
    heading: 'Escolha uma nova senha',
    paragraphs: [`Olá, ${name}.`, `Alguém, provavelmente você, pediu para redefinir a senha de ${email}.`],
    button: { label: 'Escolher uma nova senha', link },
    notes: [
      'O link funciona uma vez e por uma hora. A sessão será encerrada em todos os dispositivos.',
      'Se não foi você, ignore este e-mail: sua senha continua a mesma.',
    ],
  }),

  emailChangeRequested: ({ name, domain }, link) => ({
    language,
    subject: 'Seu e-mail no Sabiá está para mudar',
    preview: `Seu usuário de ${domain} vai passar a ter outro e-mail.`,
    heading: 'Seu e-mail está para mudar',
    paragraphs: [
      `Olá, ${name}.`,
      `Seu usuário de ${domain} vai passar a ter outro e-mail. A mudança vale quando o novo for confirmado; até lá continua valendo este.`,
      'Se não foi você, impeça a mudança e escolha uma nova senha:',
    ],
    button: { label: 'Não fui eu', link },
    notes: undoNotes,
  }),

  emailChanged: ({ name, domain }, link) => ({
    language,
    subject: 'Seu e-mail no Sabiá foi alterado',
    preview: `Este e-mail não é mais de um usuário de ${domain}.`,
    heading: 'Seu e-mail foi alterado',
    paragraphs: [
      `Olá, ${name}.`,
      `Seu usuário de ${domain} agora tem outro e-mail. Com este não é mais possível entrar nem redefinir a senha.`,
      'Se não foi você, desfaça a mudança e escolha uma nova senha:',
    ],
    button: { label: 'Desfazer a mudança', link },
    notes: undoNotes,
  }),

  emailChangedByAdmin: ({ name, domain }) => ({
    language,
    subject: 'Seu e-mail no Sabiá foi alterado',
    preview: `Este e-mail não é mais de um usuário de ${domain}.`,
    heading: 'Seu e-mail foi alterado',
    paragraphs: [
      `Olá, ${name}.`,
      `Um administrador de ${domain} deu outro e-mail ao seu usuário. Com este não é mais possível entrar nem redefinir a senha.`,
    ],
    notes: ['Se isto não estiver certo, peça a um administrador da sua conta que desfaça a mudança.'],
  }),

  webhookDisabled: ({ name, domain }, { integrationId, gateway, reason }, link) => ({
    language,
    subject: `Seu webhook "${gateway}" foi desativado`,
    preview: `${domain}: nada mais é enviado para "${gateway}".`,
    heading: 'Seu webhook foi desativado',
    paragraphs: [
      `Olá, ${name}.`,
      `O webhook da integração "${gateway}" (número ${integrationId}) de ${domain} foi desativado e nada mais é enviado para ele.`,
      `O motivo: ${reasons[reason] ?? reason}`,
      'No console você vê cada tentativa, pode enviar um teste e reativar o webhook assim que o destino voltar a responder com sucesso.',
      'Nada se perdeu: o que não pôde ser entregue nos últimos 30 dias pode ser reenviado por lá. Eventos que vieram depois da desativação não são enviados mais tarde; eles ficam listados por um dia.',
    ],
    button: { label: 'Abrir os webhooks', link },
    notes: ['Se você não precisa mais deste webhook, não é preciso fazer nada.'],
  }),
};
