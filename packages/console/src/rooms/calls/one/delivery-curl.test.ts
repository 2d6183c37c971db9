import type { Schemas } from '../../../api/client';
import { curlOfDelivery } from './delivery-curl';

const attempt = { at: null, status: 500, latencyMs: 1, answer: null, error: null };
const delivery = (fields: Partial<Schemas['Delivery']>) =>
  ({ attempts: [], payload: { name: "O'Brien" }, ...fields }) as unknown as Schemas['Delivery'];

it('repeats the newest attempt at its receiver', () => {
  const attempts = [attempt, { ...attempt, requestHeaders: { 'webhook-id': 'msg_1' } }];
  const integration = { id: 1, gateway: 'crm', url: 'https://crm.example.com/sabia' };
  expect(curlOfDelivery(delivery({ attempts, integration } as never))).toBe(
    [
      `curl -X POST 'https://crm.example.com/sabia'`,
      `-H 'webhook-id: msg_1'`,
      `--data-raw '{"name":"O'\\''Brien"}'`,
    ].join(' \\\n  '),
  );
});

it('has no command for what goes nowhere', () => {
  expect(curlOfDelivery(delivery({}))).toBeUndefined();
});
