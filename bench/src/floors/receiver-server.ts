import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * A webhook receiver that does as little as possible: `/count` answers at once, `/late` also notes how old each event is. The
 * others do not count what they get: `/fine` answers at once, `/slow` after half a second, and `/hang` never does.
 */
const slowMs = 500;
let counted = 0;
let firstBody = '';
let ages: number[] = [];

const server = createServer((request, response) => {
  const { url = '' } = request;
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const answer = (): void => void response.writeHead(200, { 'content-length': 0 }).end();
    if (url === '/hang') return;
    if (url === '/fine') {
      answer();
      return;
    }
    if (url === '/slow') {
      setTimeout(answer, slowMs);
      return;
    }
    counted += 1;
    const body = chunks[0] ?? Buffer.alloc(0);
    if (url === '/late') {
      const text = body.toString();
      ages.push(Date.now() - Date.parse(/"occurredAt":"([^"]+)"/.exec(text)?.[1] ?? ''));
    } else if (firstBody === '') {
      firstBody = body.toString();
    }
    answer();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', (question) => {
  if (question === 'count') {
    process.send?.(counted);
    return;
  }
  process.send?.({ firstBody, ages });
  ages = [];
});
process.once('disconnect', () => {
  server.closeAllConnections();
  server.close();
});
