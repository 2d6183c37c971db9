/** Where events live in NATS. Every service and the operators' tools agree on these. */
export const eventStream = 'SABIA';
export const deadLetterStream = 'SABIA_DEAD';

const day = 24 * 60 * 60 * 1000;

export const eventMaxAgeMs = 7 * day;
export const deadLetterMaxAgeMs = 30 * day;
/** A relay that died between publish and delete has this long to publish again without a second copy in the stream. */
export const duplicateWindowMs = 10 * 60 * 1000;

export const eventSubjects = 'sabia.*.*.*';
export const deadLetterSubjects = 'sabia-dead.>';

export const eventSubject = (type: string): string => `sabia.${type}`;
export const deadLetterSubject = (durable: string): string => `sabia-dead.${durable}`;
export const pokeSubject = (schema: string): string => `sabia-poke.${schema}`;
