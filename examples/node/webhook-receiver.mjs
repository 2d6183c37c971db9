// webhook-receiver.mjs: node webhook-receiver.mjs &
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace('whsec_', ''), 'base64');

function isGenuine({ 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' }, body) {
  const wanted = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest();
  const isRight = (given) => given.length === wanted.length && timingSafeEqual(given, wanted);
  const fresh = Math.abs(Date.now() / 1000 - Number(time)) < 300;
  return fresh && signatures.split(' ').some((each) => isRight(Buffer.from(each.replace('v1,', ''), 'base64')));
}

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  const event = JSON.parse(body);
  console.log(request.headers['webhook-id'], event.eventType, event.id);
  response.writeHead(204).end();
}).listen(process.env.PORT ?? 3000);
