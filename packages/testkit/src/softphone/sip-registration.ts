import { createHash, randomBytes } from 'node:crypto';
import { headerOf, requestOf, type SipMessage } from './sip-message';

export interface SipUser {
  ramal: string;
  domain: string;
  senha: string;
}

const token = () => randomBytes(8).toString('hex');
const md5 = (text: string) => createHash('md5').update(text).digest('hex');

export type SipTransport = 'UDP' | 'TCP' | 'TLS' | 'WS' | 'WSS';

/** Sends a request and waits for its final answer. */
export type Exchange = (request: string) => Promise<SipMessage>;

export interface RegisteringPhone {
  /** host:port */
  own: string;
  transport?: SipTransport;
  expiresSeconds: number;
  exchange: Exchange;
  /** host:port of Contact, if it is not where the phone sends from: as behind NAT. */
  contact?: string;
}

/** Sends REGISTER, gets the challenge, sends REGISTER with the digest. Returns the last status. */
export async function tryToRegister(
  { ramal, domain, senha }: SipUser,
  { own, transport = 'UDP', expiresSeconds, exchange, contact: contactHost = own }: RegisteringPhone,
): Promise<number | undefined> {
  const [callId, tag] = [token(), token()];
  const address = `<sip:${ramal}@${domain}>`;
  const uri = `sip:${domain}`;
  const contact = `sip:${ramal}@${contactHost}${transport === 'UDP' ? '' : `;transport=${transport.toLowerCase()}`}`;
  const send = (cseq: number, further: readonly string[] = []) =>
    exchange(
      requestOf({
        ...{ method: 'REGISTER', uri },
        headers: [
          `Via: SIP/2.0/${transport} ${own};branch=z9hG4bK${token()};rport`,
          `From: ${address};tag=${tag}`,
          `To: ${address}`,
          `Call-ID: ${callId}`,
          `CSeq: ${cseq} REGISTER`,
          `Contact: <${contact}>`,
          `Expires: ${expiresSeconds}`,
          ...further,
        ],
      }),
    );
  const challenge = await send(1);
  if (challenge.status !== 401) return challenge.status;
  return (await send(2, [`Authorization: ${digest(challenge, { ramal, senha, uri })}`])).status;
}

export async function register(user: SipUser, phone: RegisteringPhone): Promise<void> {
  const status = await tryToRegister(user, phone);
  if (status !== 200) throw new Error(`REGISTER of ${user.ramal}: ${status}`);
}

/** RFC 2617 with qop=auth. */
function digest(challenge: SipMessage, { ramal, senha, uri }: { ramal: string; senha: string; uri: string }): string {
  const offers = challenge.headers.get('www-authenticate') ?? [];
  const offer = offers.find((each) => /algorithm="?MD5\b/i.test(each)) ?? headerOf(challenge, 'www-authenticate');
  const parameter = (name: string) => new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(offer)?.[1] ?? '';
  const [realm, nonce, opaque] = [parameter('realm'), parameter('nonce'), parameter('opaque')];
  const [cnonce, nc] = [token(), '00000001'];
  const response = md5(`${md5(`${ramal}:${realm}:${senha}`)}:${nonce}:${nc}:${cnonce}:auth:${md5(`REGISTER:${uri}`)}`);
  return (
    `Digest username="${ramal}", realm="${realm}", nonce="${nonce}", uri="${uri}", response="${response}", ` +
    `algorithm=MD5, qop=auth, nc=${nc}, cnonce="${cnonce}"${opaque ? `, opaque="${opaque}"` : ''}`
  );
}
