import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAriHttp } from './ari-http';

test('endless downloads do not block other requests', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/ari/file') response.writeHead(200).write('beginning');
    else response.end('{"ping":"pong"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const http = createAriHttp({ url: `http://127.0.0.1:${port}/ari`, user: 'u', password: 'p', timeoutMs: 30_000 });
  try {
    const downloads = Array.from({ length: 40 }, () => http.download('/file'));
    const ended = downloads.map((download) =>
      download.then((file) => file.on('error', () => undefined)).catch(() => undefined),
    );
    await Promise.race(downloads);
    expect(await http.request('GET', '/ping')).toEqual({ ping: 'pong' });
    await http.close();
    await Promise.all(ended);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
