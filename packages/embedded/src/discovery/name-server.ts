import { createSocket } from 'node:dgram';
import { A_RECORD, readQuestion, writeAnswer } from './dns-message';

export interface NameServer {
  /** host:port */
  address: string;
  close(): Promise<void>;
}

/** A DNS server on loopback. `addressesOf` returns the present IPv4 addresses of a name; undefined: there is no such name. */
export async function startNameServer(
  port: number,
  addressesOf: (name: string) => readonly string[] | undefined,
): Promise<NameServer> {
  const host = '127.0.0.1';
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const question = readQuestion(message);
    if (!question) return;
    const addresses = addressesOf(question.name);
    const answer = writeAnswer(question, question.type === A_RECORD ? addresses : addresses && []);
    socket.send(answer, from.port, from.address, () => undefined);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(port, host, () => {
      socket.off('error', reject);
      // A client may be gone when the answer is sent; the server keeps running.
      socket.on('error', () => undefined);
      resolve();
    });
  });
  return {
    address: `${host}:${socket.address().port}`,
    close: () => new Promise((resolve) => socket.close(resolve)),
  };
}
