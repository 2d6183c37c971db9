import { CallDelivery } from '@sabia/protos/sabia/webhook/v1/messages';
import { entriesOfDelivery } from './delivery-timeline';

const at = (second: number): Date => new Date(Date.UTC(2026, 0, 31, 12, 0, second));
const hangup = { id: 'd1', eventId: 'e1', eventType: 'channel-hangup', createdAt: at(0) };
const entries = (delivery: object) =>
  entriesOfDelivery(
    CallDelivery.fromPartial({ integrationId: 7, gateway: 'crm', delivery: { ...hangup, ...delivery } }),
  );
const receiver = { integrationId: 7, gateway: 'crm', deliveryId: 'd1', eventType: 'channel-hangup' };

test('one entry per attempt; the last one has the state of the delivery', () => {
  const attempts = [
    { at: at(1), latencyMs: 9, status: 500 },
    { at: at(6), latencyMs: 8, status: 204 },
  ];
  expect(entries({ status: 'delivered', attempts })).toEqual([
    {
      at: at(1),
      kind: 'delivery',
      message: 'channel-hangup to "crm" failed',
      detail: { ...receiver, attempt: 1, answered: 500, latencyMs: 9, error: 'The receiver answered 500.' },
    },
    {
      at: at(6),
      kind: 'delivery',
      message: 'channel-hangup delivered to "crm"',
      detail: {
        ...receiver,
        ...{ attempt: 2, answered: 204, latencyMs: 8 },
        ...{ status: 'delivered', reason: null, nextAttemptAt: null },
      },
    },
  ]);
});

test('no response at all', () => {
  const attempts = [{ at: at(1), latencyMs: 3, error: 'connection refused' }];
  const [entry] = entries({ status: 'retrying', reason: 'connection refused', nextAttemptAt: at(6), attempts });
  expect(entry!.detail).toMatchObject({ answered: null, error: 'connection refused', nextAttemptAt: at(6) });
});

test.each([
  ['pending', 'channel-hangup waits to be sent to "crm"'],
  ['not-matched', 'channel-hangup not sent to "crm"'],
  ['dead', 'channel-hangup not sent to "crm"'],
])('%s and never tried', (status, message) => {
  expect(entries({ status, reason: 'because' })).toMatchObject([
    { at: at(0), kind: 'delivery', message, detail: { ...receiver, status, reason: 'because' } },
  ]);
});
