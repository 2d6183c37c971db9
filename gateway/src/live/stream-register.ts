import type { EventStream } from './event-stream';

interface Owner {
  userId: number;
  tokenHash: string;
}

/** The streams of this gateway, and the places that are taken by them and by those about to begin. */
export interface StreamRegister {
  readonly size: number;
  readonly reserved: number;
  reservedBy(userId: number): number;
  /** The result gives the place back, once. */
  reserve(userId: number): () => void;
  /** The result removes the stream. */
  add(stream: EventStream, owner: Owner): () => void;
  all(): EventStream[];
  ofAccount(accountId: number): ReadonlySet<EventStream>;
  ofUser(userId: number): EventStream[];
  ofToken(tokenHash: string): EventStream[];
  /** One of `count` parts of similar size; a stream stays in its part. */
  part(index: number, count: number): EventStream[];
}

const none: ReadonlySet<EventStream> = new Set();

export function createStreamRegister(): StreamRegister {
  const owners = new Map<EventStream, Owner & { number: number }>();
  const byAccount = new Map<number, Set<EventStream>>();
  const byUser = new Map<number, Set<EventStream>>();
  const byToken = new Map<string, Set<EventStream>>();
  const places = new Map<number, number>();
  let reserved = 0;
  let number = 0;

  return {
    get size() {
      return owners.size;
    },
    get reserved() {
      return reserved;
    },
    reservedBy: (userId) => places.get(userId) ?? 0,
    reserve(userId) {
      places.set(userId, (places.get(userId) ?? 0) + 1);
      reserved += 1;
      let free = false;
      return () => {
        if (!free) {
          free = true;
          reserved -= 1;
          const left = (places.get(userId) ?? 1) - 1;
          if (left === 0) places.delete(userId);
          else places.set(userId, left);
        }
      };
    },
    add(stream, owner) {
      owners.set(stream, { ...owner, number: (number += 1) });
      put(byAccount, stream.accountId, stream);
      put(byUser, owner.userId, stream);
      put(byToken, owner.tokenHash, stream);
      return () => {
        owners.delete(stream);
        take(byAccount, stream.accountId, stream);
        take(byUser, owner.userId, stream);
        take(byToken, owner.tokenHash, stream);
      };
    },
    all: () => [...owners.keys()],
    ofAccount: (accountId) => byAccount.get(accountId) ?? none,
    ofUser: (userId) => [...(byUser.get(userId) ?? none)],
    ofToken: (tokenHash) => [...(byToken.get(tokenHash) ?? none)],
    part: (index, count) => [...owners].flatMap(([stream, owner]) => (owner.number % count === index ? [stream] : [])),
  };
}

function put<K>(groups: Map<K, Set<EventStream>>, key: K, stream: EventStream): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, new Set([stream]));
  else group.add(stream);
}

function take<K>(groups: Map<K, Set<EventStream>>, key: K, stream: EventStream): void {
  const group = groups.get(key);
  if (group?.delete(stream) === true && group.size === 0) groups.delete(key);
}
