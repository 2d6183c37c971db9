// A button that calls: node click-to-call.mjs
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { URLSearchParams } from 'node:url';

const { API, TOKEN, EXTENSION = '1000', PORT = 3000 } = process.env;
const page = readFileSync(new URL('../click-to-call.html', import.meta.url));

async function call(called) {
  const answer = await fetch(`${API}/calls`, {
    method: 'POST',
    headers: { Authorization: TOKEN, 'Content-Type': 'application/json' },
    body: JSON.stringify({ extension: EXTENSION, called, metadata: { source: 'click-to-call' } }),
  });
  return { status: answer.status, body: await answer.text() };
}

createServer(async (request, response) => {
  if (request.method === 'POST' && request.url === '/call') {
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const { status, body } = await call(form.get('called'));
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
  } else {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page);
  }
}).listen(PORT);
