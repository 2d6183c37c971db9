/** The names of streams and subjects in NATS, shared by services and operators' tools. */
export const eventStream = 'SABIA';
export const deadLetterStream = 'SABIA_DEAD';
export const liveStream = 'SABIA_LIVE';

const day = 24 * 60 * 60 * 1000;

export const eventMaxAgeMs = 7 * day;
export const deadLetterMaxAgeMs = 30 * day;
/** Clients of GET /events may resume for a day; the rest is for clocks and for long pauses of a client. */
export const liveMaxAgeMs = 30 * 60 * 60 * 1000;
/** The time in which JetStream drops a second publish of an event, after a relay died before it had noted what it published. */
export const duplicateWindowMs = 10 * 60 * 1000;

/**
 * Where subjects of events name a shard (SHARD_EVENTS), all events of an account have the same one of so many. Each shard of an
 * exclusive consumer has a position of its own in the stream, so that another number would need other consumers.
 */
export const eventShards = 8;
export const shardOf = (accountId: number): number => accountId % eventShards;

export const eventSubjects = ['sabia.*.*.*', 'sabia.*.*.*.*'];
export const deadLetterSubjects = 'sabia-dead.>';
export const liveSubjects = 'sabia-live.*.*.*.*';

export const eventSubject = (type: string): string => `sabia.${type}`;
export const shardSubject = (type: string, shard: number | '*'): string => `${eventSubject(type)}.${shard}`;
/** The position of an exclusive consumer in the events of a shard. */
export const durableOfShard = (durable: string, shard: number): string => `${durable}-${shard}`;
export const deadLetterSubject = (durable: string): string => `sabia-dead.${durable}`;
export const liveSubject = (accountId: number, type: string): string => `sabia-live.${accountId}.${type}`;
export const pokeSubject = (schema: string): string => `sabia-poke.${schema}`;
