import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { answerOf, claimOf } from './idempotency';

const scope = (rpc: string, userId: number, idempotencyKey: string) => ({
  rpc,
  caller: Caller.fromPartial({ userId }),
  idempotencyKey,
});
const body = Buffer.from('body');

describe('a claim', () => {
  it('is named by rpc, user and key, and does not show the key', () => {
    const names = [
      scope('a', 1, 'k'),
      scope('b', 1, 'k'),
      scope('a', 2, 'k'),
      scope('a', 1, 'l'),
      scope('a', 1, 'k",'),
    ];
    const claims = names.map((each) => claimOf(each, body)!.name.toString('hex'));
    expect(new Set(claims).size).toBe(names.length);
    expect(claimOf(names[0]!, Buffer.from('other'))!.name.toString('hex')).toBe(claims[0]);
    expect(claims[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is not there without a key or without a caller', () => {
    expect(claimOf({ ...scope('a', 1, 'k'), idempotencyKey: undefined }, body)).toBeUndefined();
    expect(claimOf({ ...scope('a', 1, 'k'), caller: undefined }, body)).toBeUndefined();
  });

  it('gets the answer that was kept, unless the request is another', () => {
    const claim = claimOf(scope('a', 1, 'k'), body)!;
    const kept = { fingerprint: Buffer.from(claim.fingerprint), answer: Buffer.from('answer') };
    expect(answerOf(claim, kept)).toBe(kept.answer);
    const other = claimOf(scope('a', 1, 'k'), Buffer.from('other'))!;
    expect(() => answerOf(other, kept)).toThrow(expect.objectContaining({ code: 'IDEMPOTENCY_KEY_REUSED' }));
  });
});
