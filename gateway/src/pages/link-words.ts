import type { Language } from '@sabia/service-kit/brand/language';

/** A link cannot be used. */
export interface Refusal {
  title: string;
  text: string;
}

export interface FormWords {
  title: string;
  /** HTML: texts from elsewhere are escaped before they come here. */
  introduction: string;
  email: string;
  password: string;
  hint?: string;
  button: string;
}

export interface Outcome {
  title: string;
  text: string;
}

/** What the pages of one kind of mailed link say. */
export interface LinkWords {
  done: Outcome;
  used: Refusal;
  expired: Refusal;
  unknown: Refusal;
}

export interface AskWords {
  introduction: string;
  email: string;
  button: string;
  invalid: string;
  sent: Outcome;
}

export interface Words {
  confirm: LinkWords & {
    newUser(domain: string): FormWords;
    changedEmail(domain: string): FormWords;
  };
  reset: LinkWords & { form: FormWords };
  undo: LinkWords & { form: FormWords };
  askConfirmation: AskWords;
  askReset: AskWords;
  passwordLength: string;
  passwordBlank: string;
  passwordWrong: string;
  emailTaken: string;
  logIn: string;
}

const chosenPassword = { 'pt-BR': 'Ao menos oito caracteres.', en: 'At least eight characters.' };

export const linkWords: Record<Language, Words> = {
  'pt-BR': {
    confirm: {
      newUser: (domain) => ({
        title: 'Confirme seu e-mail',
        introduction: `Informe a senha com que você vai entrar em <strong>${domain}</strong>: a que escolheu antes, ou outra.`,
        email: 'E-mail',
        password: 'Senha',
        hint: chosenPassword['pt-BR'],
        button: 'Confirmar',
      }),
      changedEmail: (domain) => ({
        title: 'Confirme seu novo e-mail',
        introduction: `Este passa a ser o e-mail do seu usuário de <strong>${domain}</strong>. Informe a senha dele.`,
        email: 'Novo e-mail',
        password: 'Sua senha',
        button: 'Confirmar',
      }),
      done: { title: 'E-mail confirmado', text: 'Tudo certo. Agora entre com seu e-mail e sua senha.' },
      used: {
        title: 'Este link já foi usado',
        text: 'Um link de confirmação funciona uma vez, e este já cumpriu seu papel: seu e-mail está confirmado. É só entrar.',
      },
      expired: { title: 'Este link expirou', text: 'Um link de confirmação funciona por 48 horas.' },
      unknown: {
        title: 'Este link não funciona',
        text: 'Ele pode ter sido cortado no caminho, ou trocado por um mais novo. Abra-o de novo, por inteiro, a partir do e-mail mais recente.',
      },
    },
    reset: {
      form: {
        title: 'Escolha uma nova senha',
        introduction: 'Ela passa a valer na hora, e a sessão é encerrada em todos os dispositivos.',
        email: 'E-mail',
        password: 'Nova senha',
        hint: chosenPassword['pt-BR'],
        button: 'Trocar a senha',
      },
      done: { title: 'Senha trocada', text: 'Agora entre com seu e-mail e a nova senha.' },
      used: {
        title: 'Este link já foi usado',
        text: 'A senha foi trocada com ele. Se não foi você, peça um novo link e troque-a outra vez.',
      },
      expired: { title: 'Este link expirou', text: 'Um link para trocar a senha funciona por uma hora.' },
      unknown: {
        title: 'Este link não funciona',
        text: 'Ele pode ter sido cortado no caminho, ou já ter perdido a validade.',
      },
    },
    undo: {
      form: {
        title: 'Mantenha seu e-mail',
        introduction:
          'Quem pediu a mudança pode saber a sua senha, por isso escolha uma nova. A sessão é encerrada em todos os dispositivos, e o e-mail que recebeu este aviso volta a ser o do seu usuário.',
        email: 'E-mail',
        password: 'Nova senha',
        hint: chosenPassword['pt-BR'],
        button: 'Desfazer a mudança',
      },
      done: { title: 'Mudança desfeita', text: 'Agora entre com seu e-mail e a nova senha.' },
      used: {
        title: 'Este link já foi usado',
        text: 'A mudança foi desfeita. Entre com seu e-mail e a senha que escolheu.',
      },
      expired: {
        title: 'Este link expirou',
        text: 'A mudança podia ser desfeita por sete dias. Peça a um administrador da sua conta que a desfaça.',
      },
      unknown: {
        title: 'Este link não funciona',
        text: 'Ele pode ter sido cortado no caminho: abra-o de novo, por inteiro. Se a mudança já foi desfeita, não é preciso fazer nada.',
      },
    },
    askConfirmation: {
      introduction: 'Informe seu e-mail para receber um novo link:',
      email: 'E-mail',
      button: 'Enviar novo link',
      invalid: 'Informe um e-mail.',
      sent: {
        title: 'Veja sua caixa de entrada',
        text: 'Se este e-mail espera por uma confirmação, um novo link está a caminho. Ele funciona por 48 horas.',
      },
    },
    askReset: {
      introduction: 'Informe seu e-mail para receber um novo link:',
      email: 'E-mail',
      button: 'Enviar novo link',
      invalid: 'Informe um e-mail.',
      sent: {
        title: 'Veja sua caixa de entrada',
        text: 'Se este e-mail é de um usuário, um novo link está a caminho. Ele funciona por uma hora.',
      },
    },
    passwordLength: 'A senha precisa ter de 8 a 256 caracteres.',
    passwordBlank: 'Informe a senha.',
    passwordWrong: 'Esta não é a senha atual.',
    emailTaken: 'Outro usuário já tem este e-mail.',
    logIn: 'Entrar',
  },
  en: {
    confirm: {
      newUser: (domain) => ({
        title: 'Confirm your e-mail address',
        introduction: `Enter the password with which you will log in to <strong>${domain}</strong>: the one that you chose before, or another.`,
        email: 'E-mail',
        password: 'Password',
        hint: chosenPassword.en,
        button: 'Confirm',
      }),
      changedEmail: (domain) => ({
        title: 'Confirm your new e-mail address',
        introduction: `This becomes the address of your user of <strong>${domain}</strong>. Please enter its password.`,
        email: 'New e-mail',
        password: 'Your password',
        button: 'Confirm',
      }),
      done: { title: 'E-mail confirmed', text: 'All set. Now log in with your e-mail and your password.' },
      used: {
        title: 'This link has been used',
        text: 'A confirmation link works once, and this one has done its work: your e-mail is confirmed. You can simply log in.',
      },
      expired: { title: 'This link has expired', text: 'A confirmation link works for 48 hours.' },
      unknown: {
        title: 'This link does not work',
        text: 'It may have been cut off on its way, or replaced by a newer one. Open it once more from the newest e-mail, in full.',
      },
    },
    reset: {
      form: {
        title: 'Choose a new password',
        introduction: 'It takes effect at once, and all devices are logged out.',
        email: 'E-mail',
        password: 'New password',
        hint: chosenPassword.en,
        button: 'Change password',
      },
      done: { title: 'Password changed', text: 'Now log in with your e-mail and your new password.' },
      used: {
        title: 'This link has been used',
        text: 'The password was changed with it. If that was not you, ask for a new link and change it again.',
      },
      expired: { title: 'This link has expired', text: 'A link to change the password works for one hour.' },
      unknown: { title: 'This link does not work', text: 'It may have been cut off on its way, or lost its validity.' },
    },
    undo: {
      form: {
        title: 'Keep your e-mail address',
        introduction:
          'Whoever asked for the change may know your password, so please choose a new one. All devices are logged out, and the address that got this notice is the one of your user again.',
        email: 'E-mail',
        password: 'New password',
        hint: chosenPassword.en,
        button: 'Undo the change',
      },
      done: { title: 'Change undone', text: 'Now log in with your e-mail and your new password.' },
      used: {
        title: 'This link has been used',
        text: 'The change was undone. Log in with your e-mail and the password that you chose.',
      },
      expired: {
        title: 'This link has expired',
        text: 'The change could be undone for seven days. Ask an administrator of your account to undo it.',
      },
      unknown: {
        title: 'This link does not work',
        text: 'It may have been cut off on its way: open it once more, in full. If the change was undone already, you need not do anything.',
      },
    },
    askConfirmation: {
      introduction: 'Enter your e-mail to get a new link:',
      email: 'E-mail',
      button: 'Send a new link',
      invalid: 'Enter an e-mail address.',
      sent: {
        title: 'Look into your inbox',
        text: 'If this address waits for its confirmation, a new link is on its way. It works for 48 hours.',
      },
    },
    askReset: {
      introduction: 'Enter your e-mail to get a new link:',
      email: 'E-mail',
      button: 'Send a new link',
      invalid: 'Enter an e-mail address.',
      sent: {
        title: 'Look into your inbox',
        text: 'If a user has this address, a new link is on its way. It works for one hour.',
      },
    },
    passwordLength: 'The password must have 8 to 256 characters.',
    passwordBlank: 'Enter the password.',
    passwordWrong: 'This is not the current password.',
    emailTaken: 'Another user has this address already.',
    logIn: 'Log in',
  },
};
