import type { ConsumerConfig, NatsConnection } from 'nats';
import type { Logger } from '../../logging';
import { durableOfShard, eventStream } from './topology';

type Filters = Pick<ConsumerConfig, 'durable_name' | 'filter_subject' | 'filter_subjects'>;

/**
 * The durable consumers that would pass over events whose subjects name a shard: those of services that still run a release from before
 * there were shards, and those that somebody else has made. Throws when NATS does not tell all of them.
 */
export async function consumersWithoutShards(connection: NatsConnection): Promise<string[]> {
  const manager = await connection.jetstreamManager({ checkAPI: false });
  const { state } = await manager.streams.info(eventStream);
  const configs: Filters[] = [];
  for await (const { config } of manager.consumers.list(eventStream)) configs.push(config);
  if (configs.length < state.consumer_count) {
    throw new Error(`NATS tells ${configs.length} of ${state.consumer_count} consumers`);
  }
  return withoutShards(configs);
}

/** Undefined where NATS does not tell. */
export async function allKnowShards(connection: NatsConnection, log: Logger): Promise<boolean | undefined> {
  try {
    const consumers = await consumersWithoutShards(connection);
    if (consumers.length > 0) {
      log.warn({ consumers }, 'events are published without shards until all consumers know them');
    }
    return consumers.length === 0;
  } catch (error) {
    log.warn({ err: error }, 'it is not known whether all consumers know shards');
    return undefined;
  }
}

export function withoutShards(configs: readonly Filters[]): string[] {
  const names = new Set(configs.flatMap(({ durable_name }) => durable_name ?? []));
  const takesShards = ({ filter_subject, filter_subjects = [] }: Filters): boolean => {
    const filters = filter_subject === undefined ? filter_subjects : [filter_subject, ...filter_subjects];
    const isMetWithShards = (filter: string): boolean =>
      filter.endsWith('>') || filter.split('.').length > 4 || filters.includes(`${filter}.*`);
    return filters.every(isMetWithShards);
  };
  return configs.flatMap((config) => {
    const { durable_name: name } = config;
    // An exclusive consumer has a durable of its own for each shard.
    return name === undefined || takesShards(config) || names.has(durableOfShard(name, 0)) ? [] : [name];
  });
}
