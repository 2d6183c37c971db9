import { curlOfDelivery } from './delivery-curl';
import type { Delivery } from './queries';

const url = 'https://crm.example.com/sabia';
const attempt = { at: null, status: 500, latencyMs: 1, answer: null, error: null };
const delivery = (fields: object) => ({ attempts: [], payload: { name: "O'Brien" }, ...fields }) as unknown as Delivery;

it('repeats the newest attempt at its receiver', () => {
  const attempts = [attempt, { ...attempt, requestHeaders: { 'webhook-id': 'msg_1' } }];
  expect(curlOfDelivery(delivery({ attempts }), url)).toBe(
    [`curl -X POST '${url}'`, `-H 'webhook-id: msg_1'`, `--data-raw '{"name":"O'\\''Brien"}'`].join(' \\\n  '),
  );
});

it('has no command for what goes nowhere', () => {
  expect(curlOfDelivery(delivery({}), null)).toBeUndefined();
  expect(curlOfDelivery(delivery({ payload: null }), url)).toBeUndefined();
});
