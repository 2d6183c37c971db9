import { durableOfShard, eventShards, eventSubject, shardSubject } from '../nats/topology';

/** Events of a consumer with a position of their own in the stream. */
export interface Part {
  /** The name of that position. */
  durable: string;
  subjects: readonly string[];
  /** Undefined: subjects without a shard, or with any. */
  shard?: number;
}

interface ConsumerOfTypes {
  durable: string;
  types: readonly string[];
  exclusive?: boolean;
}

/**
 * An exclusive consumer has a part for each shard, and one for events whose subjects name none; each part is consumed by one replica at
 * a time, so that the events of an account keep their order. Any other consumer has one part, from which all replicas take.
 */
export function partsOf({ durable, types, exclusive = false }: ConsumerOfTypes): Part[] {
  const unsharded = types.map(eventSubject);
  const ofShard = (shard: number | '*'): string[] => types.map((type) => shardSubject(type, shard));
  if (!exclusive) {
    return [{ durable, subjects: [...unsharded, ...ofShard('*')] }];
  }
  const shards = Array.from({ length: eventShards }, (_, shard) => ({
    durable: durableOfShard(durable, shard),
    subjects: ofShard(shard),
    shard,
  }));
  // The one without a shard is the last, so that whoever finds it (`nats/shards-known.ts`) finds the others, too.
  return [...shards, { durable, subjects: unsharded }];
}
