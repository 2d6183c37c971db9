import { markContentId, markImage } from '@sabia/service-kit/brand/mark-image';
import { createTransport } from 'nodemailer';

export interface OutgoingMail {
  /** The same for all tries of a mail, so that a receiver can recognise duplicates. */
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
    // A server may look at a text for long before it accepts it, and a client that disconnects too early sends it twice.
    socketTimeout: 300_000,
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
        attachments: [{ cid: markContentId, content: markImage, filename: 'sabia.png', contentDisposition: 'inline' }],
      });
    },
    close() {
      transport.close();
    },
  };
}

const timeoutsBeforeText = ['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT'];

/**
 * True for failures that certainly happened before the text was sent, and for explicit refusals. After a connection lost later it is
 * unknown whether the server has accepted the mail, and nodemailer reports it like one lost earlier.
 */
export function wasSurelyNotSent(error: unknown): boolean {
  const {
    command = '',
    code,
    syscall,
    timeoutType = '',
    responseCode = 0,
  } = error as Partial<Record<string, string>> & { responseCode?: number };
  return (
    responseCode >= 400 ||
    syscall === 'connect' ||
    code === 'EDNS' ||
    timeoutsBeforeText.includes(timeoutType) ||
    /^(API|EHLO|HELO|STARTTLS|AUTH|MAIL|RCPT)/.test(command)
  );
}
