import { status } from '@grpc/grpc-js';
import { TransportError, conflict, unavailable } from '../../errors';
import { isPassing } from './failures';
import { createPatience } from './patience';

const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

describe('a temporary failure', () => {
  it('is one of an unavailable server, and nothing else', () => {
    expect([unavailable(), away, new TransportError(status.UNAVAILABLE, 'nobody there')].every(isPassing)).toBe(true);
    expect(
      [conflict('X', 'x'), new Error('bug'), new TransportError(status.INTERNAL, 'bug'), undefined].some(isPassing),
    ).toBe(false);
  });
});

describe('patience', () => {
  it('goes on through an outage of the database', async () => {
    let failures = 2;
    const patience = createPatience(new AbortController().signal);
    await expect(
      patience.throughOutage(() => (failures-- > 0 ? Promise.reject(away) : Promise.resolve('back'))),
    ).resolves.toBe('back');
  });

  it('ends with any other error, and when it is told to', async () => {
    const controller = new AbortController();
    const patience = createPatience(controller.signal);
    await expect(patience.throughOutage(() => Promise.reject(new Error('bug')))).rejects.toThrow('bug');
    const waiting = patience.throughOutage(() => Promise.reject(away));
    controller.abort();
    await expect(waiting).rejects.toBe(away);
  });
});
