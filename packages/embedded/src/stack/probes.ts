import { connect } from 'node:net';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';

/** Each probe throws until the process is ready. */
export async function servesGrpc(address: string): Promise<void> {
  const [host = '', port = ''] = address.split(':');
  // A gRPC channel that could not connect waits before it tries again; a plain connection does not.
  await accepts(Number(port), host);
  const client = createGrpcClient({}, { address });
  try {
    if (!(await client.checkHealth(''))) throw new Error('its health says that it is not serving');
  } finally {
    client.close();
  }
}

export async function answersHttp(url: string): Promise<void> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2_000), headers: { 'X-Forwarded-For': '127.0.0.9' } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answers ${answer.status} ${text.slice(0, 200)}`);
}

export async function accepts(port: number, host = '127.0.0.1'): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ port, host }, () => {
      socket.destroy();
      resolve();
    });
    socket.setTimeout(1_000, () => socket.destroy(new Error(`no answer on port ${port}`)));
    socket.once('error', reject);
  });
}
