import { coveringSubject, durableConfig } from './durable';

describe('covering subject', () => {
  it.each([
    [['identity.account.created'], 'sabia.identity.account.created'],
    [['identity.account.created', 'identity.account.activated'], 'sabia.identity.account.*'],
    [['identity.account.created', 'billing.call.rated'], 'sabia.*.*.*'],
    [['telephony.call.ended', 'telephony.call.*'], 'sabia.telephony.call.*'],
  ])('of %j is %s', (types, subject) => {
    expect(coveringSubject(types)).toBe(subject);
  });
});

describe('durable consumer', () => {
  const options = { durable: 'x', types: ['a.b.c', 'a.b.d'], ackWaitMs: 1, maxAckPending: 1 };

  it('filters several subjects where the server can, and one that covers them where it cannot', () => {
    expect(durableConfig(options, [2, 10]).filter_subjects).toEqual(['sabia.a.b.c', 'sabia.a.b.d']);
    expect(durableConfig(options, [2, 10]).filter_subject).toBeUndefined();
    expect(durableConfig(options, [2, 9]).filter_subject).toBe('sabia.a.b.*');
    expect(durableConfig({ ...options, types: ['a.b.c'] }, [3, 0]).filter_subject).toBe('sabia.a.b.c');
  });

  it('does not let JetStream count tries', () => {
    expect(durableConfig(options, [2, 10]).max_deliver).toBe(-1);
  });
});
