import { createHash, randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface SipUser {
  ramal: string;
  domain: string;
  senha: string;
}

export interface SipClient {
  /** A softphone comes and goes: REGISTER, 401, REGISTER with the digest, 200; then the same with no time to live. */
  registerAndLeave(user: SipUser): Promise<void>;
  close(): void;
}

interface Dialogue {
  user: SipUser;
  callId: string;
  tag: string;
  cseq: number;
}

/** T1 of RFC 3261: a datagram without an answer is sent again. */
const resendMs = 500;
const attempts = 10;

const token = () => randomBytes(12).toString('hex');
const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** As much of a SIP phone as a registration over UDP needs; one socket for any number of phones. */
export async function openSipClient(server: string): Promise<SipClient> {
  const { hostname, port } = new URL(`udp://${server}`);
  const socket = createSocket('udp4');
  socket.connect(Number(port), hostname);
  await once(socket, 'connect');
  const own = `${socket.address().address}:${socket.address().port}`;
  const waiting = new Map<string, (answer: string) => void>();
  socket.on('message', (datagram) => {
    const text = datagram.toString('utf8');
    const branch = /^Via:.*;branch=([^;\s,]+)/im.exec(text)?.[1];
    if (branch && statusOf(text) >= 200) waiting.get(branch)?.(text);
  });
  // A closed port shows as silence, too, and silence is told by exchange().
  socket.on('error', () => {});

  async function register(dialogue: Dialogue, expires: number, authorization?: string): Promise<string> {
    const { user, callId, tag } = dialogue;
    const address = `sip:${user.ramal}@${user.domain}`;
    const branch = `z9hG4bK${token()}`;
    dialogue.cseq += 1;
    const lines = [
      `REGISTER sip:${user.domain} SIP/2.0`,
      `Via: SIP/2.0/UDP ${own};branch=${branch};rport`,
      'Max-Forwards: 70',
      `From: <${address}>;tag=${tag}`,
      `To: <${address}>`,
      `Call-ID: ${callId}`,
      `CSeq: ${dialogue.cseq} REGISTER`,
      `Contact: <sip:${user.ramal}@${own}>`,
      `Expires: ${expires}`,
      ...(authorization ? [`Authorization: ${authorization}`] : []),
      'Content-Length: 0',
    ];
    return exchange(branch, `${lines.join('\r\n')}\r\n\r\n`);
  }

  function exchange(branch: string, message: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let sent = 0;
      const settle = (finish: () => void) => {
        clearInterval(timer);
        waiting.delete(branch);
        finish();
      };
      const send = () => {
        if (sent === attempts) return settle(() => reject(new Error(`no answer to REGISTER from ${server}`)));
        sent += 1;
        socket.send(message);
      };
      const timer = setInterval(send, resendMs);
      waiting.set(branch, (answer) => settle(() => resolve(answer)));
      send();
    });
  }

  return {
    async registerAndLeave(user) {
      const dialogue = { user, callId: token(), tag: token(), cseq: 0 };
      const challenge = await register(dialogue, 300);
      expectStatus(challenge, 401);
      const answerTo = digest(user, challenge);
      expectStatus(await register(dialogue, 300, answerTo(1)), 200);
      expectStatus(await register(dialogue, 0, answerTo(2)), 200);
    },
    close: () => socket.close(),
  };
}

const statusOf = (answer: string) => Number(/^SIP\/2\.0 (\d{3})/.exec(answer)?.[1] ?? 0);

function expectStatus(answer: string, expected: number): void {
  if (statusOf(answer) !== expected) throw new Error(`wanted ${expected}, got ${answer.split('\r\n')[0]}`);
}

/** RFC 2617 with qop=auth; a nonce serves several requests, counted. */
function digest({ ramal, domain, senha }: SipUser, challenge: string): (count: number) => string {
  const offers = challenge.split('\r\n').filter((line) => /^WWW-Authenticate:/i.test(line));
  const offer = offers.find((line) => /algorithm="?MD5\b/i.test(line)) ?? offers[0] ?? '';
  const parameter = (name: string) => new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(offer)?.[1];
  const nonce = parameter('nonce');
  if (!nonce || parameter('realm') !== domain) throw new Error(`a challenge for another realm: ${offer}`);
  const opaque = parameter('opaque');
  const uri = `sip:${domain}`;
  const cnonce = token();
  const ha1 = md5(`${ramal}:${domain}:${senha}`);
  const ha2 = md5(`REGISTER:${uri}`);
  return (count) => {
    const nc = count.toString(16).padStart(8, '0');
    const response = md5(`${ha1}:${nonce}:${nc}:${cnonce}:auth:${ha2}`);
    return (
      `Digest username="${ramal}", realm="${domain}", nonce="${nonce}", uri="${uri}", response="${response}", ` +
      `algorithm=MD5, qop=auth, nc=${nc}, cnonce="${cnonce}"${opaque ? `, opaque="${opaque}"` : ''}`
    );
  };
}
