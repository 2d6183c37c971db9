import { coveringSubject, durableConfig } from './durable';

describe('covering subject', () => {
  it.each([
    [['sabia.identity.account.created'], 'sabia.identity.account.created'],
    [['sabia.identity.account.created', 'sabia.identity.account.activated'], 'sabia.identity.account.*'],
    [['sabia.identity.account.created', 'sabia.billing.call.rated'], 'sabia.*.*.*'],
    [['sabia.telephony.call.ended', 'sabia.telephony.call.*'], 'sabia.telephony.call.*'],
    [['sabia.telephony.call.ended.3', 'sabia.telephony.call.created.3'], 'sabia.telephony.call.*.3'],
    [['sabia.telephony.call.ended', 'sabia.telephony.call.ended.*'], 'sabia.*.*.>'],
    [['sabia.telephony.call.ended', 'sabia.telephony.call.ended.*', 'sabia.billing.call.rated'], 'sabia.*.*.>'],
  ])('of %j is %s', (subjects, subject) => {
    expect(coveringSubject(subjects)).toBe(subject);
  });
});

describe('durable consumer', () => {
  const options = { durable: 'x', subjects: ['sabia.a.b.c', 'sabia.a.b.d'], ackWaitMs: 1, maxAckPending: 1 };

  it('filters several subjects where the server can, and one that covers them where it cannot', () => {
    expect(durableConfig(options, [2, 10]).filter_subjects).toEqual(['sabia.a.b.c', 'sabia.a.b.d']);
    expect(durableConfig(options, [2, 10]).filter_subject).toBeUndefined();
    expect(durableConfig(options, [2, 9]).filter_subject).toBe('sabia.a.b.*');
    expect(durableConfig({ ...options, subjects: ['sabia.a.b.c'] }, [3, 0]).filter_subject).toBe('sabia.a.b.c');
  });

  it('does not let JetStream count tries', () => {
    expect(durableConfig(options, [2, 10]).max_deliver).toBe(-1);
  });
});
