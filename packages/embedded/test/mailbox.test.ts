import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createSmtpServer } from '../src/mailbox/smtp';
import { openMailStore, type MailStore } from '../src/mailbox/store';
import { createWebServer } from '../src/mailbox/web';

const MESSAGE = [
  'From: Someone <from@example.com>',
  'To: Header Name <other@example.com>',
  'Subject: =?UTF-8?Q?Ol=C3=A1?=',
  'Content-Type: multipart/alternative; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Confirma=C3=A7=C3=A3o: http://127.0.0.1/confirm?token=3Dabc',
  '--b',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Hello</p><img src="cid:mark@example"><script>alert(1)</script>',
  '--b',
  'Content-Type: image/png',
  'Content-ID: <mark@example>',
  'Content-Transfer-Encoding: base64',
  '',
  'aGk=',
  '--b--',
].join('\r\n');

describe('the mailbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sabia-mailbox-'));
  let store: MailStore;
  let smtp: ReturnType<typeof createSmtpServer>;
  let web: ReturnType<typeof createWebServer>;
  let url: string;

  beforeAll(async () => {
    store = openMailStore({ folder });
    smtp = createSmtpServer(store);
    web = createWebServer(store);
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', () => resolve()));
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
    await send(['a@example.com', 'b@example.com']);
  });

  afterAll(async () => {
    web.close();
    web.closeAllConnections();
    await new Promise<void>((resolve) => smtp.close(() => resolve()));
    rmSync(folder, { recursive: true });
  });

  /** An SMTP dialogue as any mailer has it. */
  async function send(recipients: string[]): Promise<void> {
    const port = (smtp.server.address() as AddressInfo).port;
    const lines = [
      'EHLO test',
      'MAIL FROM:<from@example.com>',
      ...recipients.map((to) => `RCPT TO:<${to}>`),
      'DATA',
      `${MESSAGE}\r\n.`,
      'QUIT',
    ];
    await new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.setEncoding('utf8').on('data', (text: string) => {
        const last = text.trimEnd().split('\r\n').at(-1) ?? '';
        if (/^[45]/.test(last)) reject(new Error(last));
        else if (/^\d{3} /.test(last)) socket.write(`${lines.shift() ?? ''}\r\n`);
      });
      socket.once('error', reject).once('close', () => resolve());
    });
  }

  it('lists mails for programs, to whom the envelope says, decoded', async () => {
    const answer = await fetch(url, { headers: { Accept: 'application/json' } });
    expect(await answer.json()).toEqual([
      {
        to: 'a@example.com, b@example.com',
        subject: 'Olá',
        text: expect.stringContaining('Confirmação: http://127.0.0.1/confirm?token=abc') as string,
        // An image that the mail carries is inside its page.
        html: expect.stringContaining('<p>Hello</p><img src="data:image/png;base64,aGk=">') as string,
        at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      },
    ]);
  });

  it('shows a page to people', async () => {
    const answer = await fetch(url, { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await answer.text()).toContain('Caixa de entrada');
    expect(answer.headers.get('content-security-policy')).not.toContain('unsafe');
    const english = await fetch(url, { headers: { Accept: 'text/html', 'Accept-Language': 'en' } });
    expect(await english.text()).toContain('Mailbox');
  });

  it('locks a mail into a sandbox where no script runs', async () => {
    const [mail] = store.list();
    const answer = await fetch(`${url}/mails/${mail?.id}.html`);
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toMatch(/^sandbox (?!.*allow-scripts)/);
    expect(policy).toContain("default-src 'none'");
    expect((await fetch(`${url}/mails/unknown.html`)).status).toBe(404);
    expect((await fetch(`${url}//`)).status).toBe(404);
  });

  it('has the newest first and keeps all of them across a restart', async () => {
    await send(['c@example.com']);
    const reopened = openMailStore({ folder });
    expect(reopened.list().map(({ to }) => to)).toEqual(['c@example.com', 'a@example.com, b@example.com']);
  });

  it('drops the oldest when there are too many', () => {
    const small = openMailStore({ folder: join(folder, 'small'), keep: 2 });
    for (const to of ['1', '2', '3']) small.add({ to, from: '', subject: '', text: '', html: '' });
    expect(small.list().map(({ to }) => to)).toEqual(['3', '2']);
    expect(
      openMailStore({ folder: join(folder, 'small'), keep: 2 })
        .list()
        .map(({ to }) => to),
    ).toEqual(['3', '2']);
  });
});
