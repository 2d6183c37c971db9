import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { preferredLanguage } from '@sabia/service-kit/brand/language';
import { mailboxPages, mailboxPolicy } from './page';
import type { Mail, MailStore, StoredMail } from './store';

/** A mail is foreign content: no scripts, nothing loaded from elsewhere, links open in a tab of their own. */
const MAIL_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'";

export function createWebServer(store: MailStore): Server {
  return createServer((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return send(response, 405, 'text/plain', 'GET only\n', { Allow: 'GET, HEAD' });
    }
    // Split by hand: URL does not accept every path that a client may send.
    const [pathname = '/'] = (request.url ?? '/').split('?', 1);
    if (pathname === '/') {
      if (wantsJson(request)) return sendJson(response, store.list().map(publicFields));
      const page = mailboxPages[preferredLanguage(request.headers['accept-language'])];
      return send(response, 200, 'text/html', page, { 'Content-Security-Policy': mailboxPolicy });
    }
    if (pathname === '/mails') return sendJson(response, store.list().map(pageFields));
    const mail = store.get(/^\/mails\/([\w-]+)\.html$/.exec(pathname)?.[1] ?? '');
    if (!mail) return send(response, 404, 'text/plain', 'There is no such mail.\n');
    return send(response, 200, 'text/html', `<base target="_blank">${mail.html}`, {
      'Content-Security-Policy': MAIL_POLICY,
    });
  });
}

function wantsJson(request: IncomingMessage): boolean {
  const accept = request.headers.accept ?? '';
  return accept.includes('application/json') && !accept.includes('text/html');
}

function publicFields({ to, subject, text, html, at }: StoredMail): Mail {
  return { to, subject, text, html, at };
}

function pageFields({ id, from, to, subject, text, html, at }: StoredMail) {
  return { id, from, to, subject, text, hasHtml: html !== '', at };
}

function sendJson(response: ServerResponse, value: unknown): void {
  send(response, 200, 'application/json', JSON.stringify(value));
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept, Accept-Language',
    ...headers,
  });
  response.end(body);
}
