import { createTransport } from 'nodemailer';

export interface OutgoingMail {
  /** Stable over all tries of one mail, so that a receiver can recognise a repetition. */
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface MailSender {
  /** Resolves when the SMTP server has accepted the mail. */
  send(mail: OutgoingMail): Promise<void>;
  close(): void;
}

export function createMailSender({ smtpUrl, from }: { smtpUrl: string; from: string }): MailSender {
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const messageIdDomain = /@([^>\s]+)>?\s*$/.exec(from)?.[1] ?? 'sabia';

  return {
    async send({ id, ...mail }) {
      await transport.sendMail({
        from,
        ...mail,
        messageId: `<${id}@${messageIdDomain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    },
    close() {
      transport.close();
    },
  };
}

/** Once the text was on its way, an error no longer tells whether the server has taken the mail. */
export function wasSurelyNotSent(error: unknown): boolean {
  return !(error instanceof Error && 'command' in error && error.command === 'DATA');
}
