import { headersAsSent, headersToKeep } from './sent-headers';
import { sign } from './signature';

const at = new Date('2026-01-31T12:00:00.400Z');
const signed = sign('msg_1', at, '{}', [Buffer.from('secret')]);
const usual = ['user-agent', 'Sabia-Webhooks/1.0', 'accept', '*/*', 'content-type', 'application/json', ...signed];

const asObject = (list: readonly string[]) =>
  Object.fromEntries(list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]]] : [])));

test('of the usual headers only the signatures are stored, and all are shown again', () => {
  const kept = headersToKeep(usual);
  expect(Object.keys(kept)).toEqual(['webhook-signature', 'x-webhook-signature']);
  expect(headersAsSent(kept, { webhookId: 'msg_1', at })).toEqual(asObject(usual));
});

test('configured headers are stored without their values, whatever their names', () => {
  const configured = [
    'user-agent',
    'Own/1',
    'authorization',
    'Basic abc',
    'x-jwt',
    'j',
    'x-session',
    's',
    'x-pass',
    'p',
  ];
  expect(headersToKeep([...configured, 'traceparent', '00-1-2-01'])).toEqual({
    ...{ 'user-agent': '…', authorization: '…', 'x-jwt': '…', 'x-session': '…', 'x-pass': '…' },
    traceparent: '00-1-2-01',
  });
});
