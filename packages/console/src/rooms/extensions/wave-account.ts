import type { SipServer } from './queries';

interface WaveAccount {
  ramal: string;
  domain: string;
  name: string;
  senha: string;
  server: SipServer | undefined;
}

/** The account as Grandstream Wave reads it from a QR code. It asks for the domain of the account at the server, and has no digest. */
export function waveAccount({ ramal, domain, name, senha, server }: WaveAccount): string {
  const entries = {
    RegisterServer: domain,
    OutboundServer: server === undefined ? '' : `${server.host}:${server.port}`,
    UserID: ramal,
    AuthID: ramal,
    AuthPass: senha,
    AccountName: ramal,
    DisplayName: name,
  };
  const account = Object.entries(entries).map(([entry, value]) => `<${entry}>${escapeXml(value)}</${entry}>`);
  return `<?xml version="1.0" encoding="utf-8"?><AccountConfig version="1"><Account>${account.join('')}</Account></AccountConfig>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeXml = (text: string): string => text.replace(/[&<>]/g, (character) => entities[character]!);
