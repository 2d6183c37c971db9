import type { Language } from '@sabia/service-kit/brand/language';
import type { Charge } from '../domain/charge';

/** What the payment page says. Amounts and times come formatted. */
export interface PageWords {
  title(amount: string): string;
  status: Record<Charge['status'], string>;
  dueDate: string;
  charge: string;
  number(id: number): string;
  description: string;
  notPayable: string;
  pix: { heading: string; text: string; qrCode: string; code: string; copy: string };
  slip: { heading: string; line: string; copy: string };
  pay(amount: string): string;
  sandbox: string;
  elsewhere: string;
  cancelled: string;
  refunded(when: string): string;
  received(when: string): string;
  credited: string;
  creditedInPart(paid: string, due: string): string;
  returned(amount: string): string;
  copied: string;
}

export const pageWords: Record<Language, PageWords> = {
  'pt-BR': {
    title: (amount) => `Pagamento de ${amount}`,
    status: {
      PENDING: 'Aguardando pagamento',
      OVERDUE: 'Vencida',
      CONFIRMED: 'Pagamento confirmado',
      RECEIVED: 'Paga',
      CANCELLED: 'Cancelada',
      REFUNDED: 'Estornada',
    },
    dueDate: 'Vencimento',
    charge: 'Cobrança',
    number: (id) => `nº ${id}`,
    description: 'Descrição',
    notPayable: 'Esta cobrança de teste não pode ser paga aqui.',
    pix: {
      heading: 'Pague com PIX',
      text: 'Abra o aplicativo do seu banco e leia o QR code, ou use o código copia e cola.',
      qrCode: 'QR code do PIX',
      code: 'PIX copia e cola',
      copy: 'Copiar código PIX',
    },
    slip: { heading: 'Pague com boleto', line: 'Linha digitável', copy: 'Copiar linha digitável' },
    pay: (amount) => `Pagar ${amount}`,
    sandbox: 'Ambiente de testes: o botão faz o papel do banco e nenhum dinheiro muda de mãos.',
    elsewhere: 'Ir para o pagamento',
    cancelled: 'Esta cobrança foi cancelada e não pode mais ser paga.',
    refunded: (when) => `O valor foi devolvido em ${when}.`,
    received: (when) => `Pagamento recebido em ${when}.`,
    credited: 'O crédito já está na conta.',
    creditedInPart: (paid, due) => `Recebemos ${paid} dos ${due} cobrados; o crédito de ${paid} já está na conta.`,
    returned: (amount) => `Foram devolvidos ${amount}.`,
    copied: 'Copiado',
  },
  en: {
    title: (amount) => `Payment of ${amount}`,
    status: {
      PENDING: 'Waiting for payment',
      OVERDUE: 'Overdue',
      CONFIRMED: 'Payment confirmed',
      RECEIVED: 'Paid',
      CANCELLED: 'Cancelled',
      REFUNDED: 'Refunded',
    },
    dueDate: 'Due date',
    charge: 'Charge',
    number: (id) => `no. ${id}`,
    description: 'Description',
    notPayable: 'This test charge cannot be paid here.',
    pix: {
      heading: 'Pay with PIX',
      text: 'Open the app of your bank and scan the QR code, or copy and paste the code.',
      qrCode: 'QR code of the PIX',
      code: 'PIX code to copy and paste',
      copy: 'Copy PIX code',
    },
    slip: { heading: 'Pay by bank slip', line: 'Line to type', copy: 'Copy the line' },
    pay: (amount) => `Pay ${amount}`,
    sandbox: 'Test environment: the button stands in for the bank, and no money changes hands.',
    elsewhere: 'Go to the payment',
    cancelled: 'This charge was cancelled and can no longer be paid.',
    refunded: (when) => `The amount was returned on ${when}.`,
    received: (when) => `Payment received on ${when}.`,
    credited: 'The credit is on the account.',
    creditedInPart: (paid, due) =>
      `We received ${paid} of the ${due} charged; the credit of ${paid} is on the account.`,
    returned: (amount) => `${amount} was returned.`,
    copied: 'Copied',
  },
};
