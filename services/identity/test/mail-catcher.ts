import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface CaughtMail {
  messageId: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
}

/** An SMTP server that keeps what it is given, and that can be away for a while. */
export async function startMailCatcher() {
  const mails: CaughtMail[] = [];
  let server = await listen(mails, 0);
  const { port } = server.server.address() as AddressInfo;

  return {
    url: `smtp://127.0.0.1:${port}`,
    /** Newest last. */
    to: (address: string) => mails.filter((mail) => mail.to.includes(address)),
    async stop() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
    async start() {
      server = await listen(mails, port);
    },
  };
}

export type MailCatcher = Awaited<ReturnType<typeof startMailCatcher>>;

async function listen(mails: CaughtMail[], port: number): Promise<SMTPServer> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        void PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          mails.push({
            messageId: mail.messageId ?? '',
            to: session.envelope.rcptTo.map(({ address }) => address),
            subject: mail.subject ?? '',
            text: mail.text ?? '',
            html: mail.html ?? '',
          });
          done();
        });
      });
    },
  });
  // A client that leaves in the middle is none of the tests' business.
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  return server;
}
