import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
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
  const moods: Moods = { cutsAfterText: false };
  let server = await listen(mails, moods, 0);
  const { port } = server.server.address() as AddressInfo;

  return {
    url: `smtp://127.0.0.1:${port}`,
    moods,
    /** Newest last. */
    to: (address: string) => mails.filter((mail) => mail.to.includes(address)),
    async stop() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
    async start() {
      server = await listen(mails, moods, port);
    },
  };
}

export interface Moods {
  /** Mails are kept, but the sender never hears so: the connection is lost first. */
  cutsAfterText: boolean;
}

export type MailCatcher = Awaited<ReturnType<typeof startMailCatcher>>;

async function listen(mails: CaughtMail[], moods: Moods, port: number): Promise<SMTPServer> {
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
          if (moods.cutsAfterText) {
            sockets.forEach((socket) => socket.destroy());
          } else {
            done();
          }
        });
      });
    },
  });
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  // A client that leaves in the middle is none of the tests' business.
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  return server;
}
