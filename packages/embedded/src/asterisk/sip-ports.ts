import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { randomBytes } from 'node:crypto';

/** A port that is free in TCP may be taken in UDP. */
export async function isUdpPortFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => resolve(false));
    socket.bind({ port, address: host, exclusive: true }, () => socket.close(() => resolve(true)));
  });
}

/** Sends OPTIONS and accepts any answer: an unknown sender is refused, but answered. */
export async function answersSipOverUdp(host: string, port: number): Promise<void> {
  const socket = createSocket('udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      const patience = setTimeout(() => reject(new Error(`no answer to SIP on UDP ${host}:${port}`)), 500);
      const settle = (error?: Error) => {
        clearTimeout(patience);
        if (error) reject(error);
        else resolve();
      };
      socket.once('error', settle);
      socket.once('message', () => settle());
      socket.bind(0, host, () => socket.send(options(host, port, socket.address().port), port, host));
    });
  } finally {
    socket.close();
  }
}

export async function acceptsTcp(host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host, port }, () => {
      socket.destroy();
      resolve();
    });
    socket.setTimeout(500, () => socket.destroy(new Error(`no answer on TCP ${host}:${port}`)));
    socket.once('error', reject);
  });
}

function options(host: string, port: number, ownPort: number): string {
  const id = randomBytes(8).toString('hex');
  return [
    `OPTIONS sip:${host}:${port} SIP/2.0`,
    `Via: SIP/2.0/UDP ${host}:${ownPort};branch=z9hG4bK${id};rport`,
    'Max-Forwards: 1',
    `From: <sip:probe@${host}>;tag=${id}`,
    `To: <sip:${host}:${port}>`,
    `Call-ID: ${id}`,
    'CSeq: 1 OPTIONS',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
}
