import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { MailStore } from './store';

const LARGEST_MAIL = 25 * 1024 * 1024;

/** Accepts every mail for every address and forwards none. */
export function createSmtpServer(store: MailStore): SMTPServer {
  return new SMTPServer({
    banner: 'Sabia mailbox, nothing leaves this machine',
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    size: LARGEST_MAIL,
    disableReverseLookup: true,
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const sender = session.envelope.mailFrom;
        const envelope = {
          from: sender ? sender.address : '',
          to: session.envelope.rcptTo.map(({ address }) => address).join(', '),
        };
        keep(store, Buffer.concat(chunks), envelope).then(() => done(), done);
      });
    },
  });
}

async function keep(store: MailStore, raw: Buffer, envelope: { from: string; to: string }): Promise<void> {
  const mail = await PostalMime.parse(raw);
  store.add({ ...envelope, subject: mail.subject ?? '', text: mail.text ?? '', html: withImages(mail) });
}

/** The HTML with the images that the mail carries, because a page cannot refer to the parts of a mail. */
function withImages({ html = '', attachments }: Email): string {
  return attachments.reduce((text, { contentId = '', mimeType, content }) => {
    const id = contentId.replace(/^<|>$/g, '');
    if (id === '' || !mimeType.startsWith('image/') || typeof content === 'string') return text;
    return text.replaceAll(
      `cid:${id}`,
      `data:${mimeType};base64,${Buffer.from(new Uint8Array(content)).toString('base64')}`,
    );
  }, html);
}
