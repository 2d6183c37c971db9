import { partsOf } from '../consumer/parts';
import { durableConfig } from './durable';
import { withoutShards } from './shards-known';

const types = ['telephony.call.ended', 'billing.call.rated'];
const limits = { ackWaitMs: 1, maxAckPending: 1 };

describe('consumers without shards', () => {
  it.each([
    ['2.10', [2, 10]],
    ['2.9', [2, 9]],
  ] as const)('are none of those that this release makes, on NATS %s', (_name, version) => {
    const parts = [
      ...partsOf({ durable: 'shared', types }),
      ...partsOf({ durable: 'shared-one', types: types.slice(1) }),
      ...partsOf({ durable: 'exclusive', types, exclusive: true }),
    ];
    expect(withoutShards(parts.map((part) => durableConfig({ ...part, ...limits }, [...version])))).toEqual([]);
  });

  it('are those that take events without a shard alone', () => {
    expect(
      withoutShards([
        { durable_name: 'one', filter_subject: 'sabia.telephony.call.ended' },
        { durable_name: 'several', filter_subjects: ['sabia.telephony.call.ended', 'sabia.billing.call.rated'] },
        { durable_name: 'any', filter_subject: 'sabia.*.*.*' },
        { durable_name: 'everything' },
        { filter_subject: 'sabia.telephony.call.ended' },
      ]),
    ).toEqual(['one', 'several', 'any']);
  });
});
