import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { createTokenCache } from './token-cache';
import type { Session } from './token-cache';

function setUp(options: { ttlMs?: number; maximum?: number } = {}) {
  const state = { now: 1_000_000, lookups: [] as string[] };
  const lease = { held: true };
  const answers: ((session: Session) => void)[] = [];
  const live = (userId: number, expiresAt?: number): Session => ({
    state: 'live',
    caller: Caller.fromPartial({ userId }),
    expiresAt,
  });
  const cache = createTokenCache({
    lookup: (hash) => {
      state.lookups.push(hash);
      return new Promise((resolve) => answers.push(resolve));
    },
    ttlMs: options.ttlMs ?? 10_000,
    maximum: options.maximum ?? 100,
    now: () => state.now,
    lease,
  });
  const get = (hash: string, session: Session): Promise<Session> => {
    const got = cache.get(hash);
    answers.splice(0).forEach((answer) => answer(session));
    return got;
  };
  return { state, answers, cache, live, get, lease };
}

describe('the token cache', () => {
  it('asks once for a while', async () => {
    const { state, live, get } = setUp();
    await get('a', live(1));
    await get('a', live(1));
    expect(state.lookups).toEqual(['a']);
    state.now += 10_001;
    await get('a', live(1));
    expect(state.lookups).toEqual(['a', 'a']);
  });

  it('shares one lookup among requests that come together', async () => {
    const { state, cache, answers, live } = setUp();
    const both = [cache.get('a'), cache.get('a')];
    answers[0]!(live(1));
    await Promise.all(both);
    expect(state.lookups).toEqual(['a']);
  });

  it('never remembers a refusal', async () => {
    const { state, get, live } = setUp();
    expect((await get('a', { state: 'unknown' })).state).toBe('unknown');
    expect((await get('a', live(1))).state).toBe('live');
    expect(state.lookups).toEqual(['a', 'a']);
  });

  it('knows by itself when a token has run out', async () => {
    const { state, get, live } = setUp();
    await get('a', live(1, state.now + 5_000));
    state.now += 5_000;
    expect((await get('a', live(1))).state).toBe('expired');
  });

  it('drops one token', async () => {
    const { state, cache, get, live } = setUp();
    await get('a', live(1));
    await get('b', live(1));
    cache.dropToken('a');
    await get('a', { state: 'unknown' });
    await get('b', live(1));
    expect(state.lookups).toEqual(['a', 'b', 'a']);
  });

  it('drops every token of a user', async () => {
    const { state, cache, get, live } = setUp();
    await get('a', live(1));
    await get('b', live(1));
    await get('c', live(2));
    cache.dropUser(1);
    await get('a', live(1));
    await get('b', live(1));
    await get('c', live(2));
    expect(state.lookups).toEqual(['a', 'b', 'c', 'a', 'b']);
  });

  it.each([
    ['token', (cache: ReturnType<typeof setUp>['cache']) => cache.dropToken('a')],
    ['user', (cache: ReturnType<typeof setUp>['cache']) => cache.dropUser(1)],
  ])('does not remember what was asked before the %s was revoked', async (_what, drop) => {
    const { state, cache, answers, live } = setUp();
    const early = cache.get('a');
    drop(cache);
    const late = cache.get('a');
    expect(state.lookups).toEqual(['a', 'a']);
    answers[0]!(live(1));
    answers[1]!({ state: 'unknown' });
    expect((await early).state).toBe('live');
    expect((await late).state).toBe('unknown');
    const last = cache.get('a');
    expect(state.lookups).toHaveLength(3);
    answers[2]!({ state: 'unknown' });
    await last;
  });

  it('is passed by while revocations are not heard', async () => {
    const { state, get, live, lease } = setUp();
    await get('a', live(1));
    lease.held = false;
    await get('a', live(1));
    await get('a', live(1));
    expect(state.lookups).toHaveLength(3);
  });

  it('shares no lookup while revocations are not heard: it may be older than one', async () => {
    const { state, cache, answers, live, lease } = setUp();
    lease.held = false;
    const both = [cache.get('a'), cache.get('a')];
    answers[0]!(live(1));
    answers[1]!({ state: 'unknown' });
    expect((await Promise.all(both)).map((session) => session.state)).toEqual(['live', 'unknown']);
    expect(state.lookups).toEqual(['a', 'a']);
  });

  it('stays within its bounds', async () => {
    const { state, get, live } = setUp({ maximum: 2 });
    for (const hash of ['a', 'b', 'c', 'a']) {
      await get(hash, live(1));
    }
    expect(state.lookups).toEqual(['a', 'b', 'c', 'a']);
  });

  it('passes a failed lookup on and asks again', async () => {
    let tries = 0;
    const cache = createTokenCache({
      lookup: () => Promise.reject(new Error(`try ${(tries += 1)}`)),
      ttlMs: 1000,
      maximum: 10,
      now: Date.now,
      lease: { held: true },
    });
    await expect(cache.get('a')).rejects.toThrow('try 1');
    await expect(cache.get('a')).rejects.toThrow('try 2');
  });
});
