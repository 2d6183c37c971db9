import { z } from 'zod';

/** Optimisations that have a plain path beside them. docs/performance.md tells what each of them gains. */
const optimisations = {
  'binary-rows': 'listed calls go from PostgreSQL to gRPC as bytes; plain: rows, messages, bytes',
  multiplex: 'RPCs share one stream to each replica; plain: an HTTP/2 stream for each RPC',
  'json-writer': 'lists are copied from the bytes of a message to JSON; plain: the message is decoded first',
  batching: 'concurrent writes share a statement; plain: each is written alone, immediately',
  'prepared-lists': 'statements of simple filters stay prepared; plain: each is parsed and planned anew',
} as const;

export type Optimisation = keyof typeof optimisations;

/** The optimisations that are switched off. */
export type PlainPaths = ReadonlySet<Optimisation>;

let switchedOff: PlainPaths = new Set();

/**
 * Sets the optimisations that this process does without; for those whose code is too far from the configuration to be handed
 * the names. `run` calls it once, before it creates the service.
 */
export function switchOff(names: PlainPaths): void {
  switchedOff = names;
}

export const isSwitchedOff = (name: Optimisation): boolean => switchedOff.has(name);

const isOptimisation = (name: string): name is Optimisation => Object.hasOwn(optimisations, name);

/** PLAIN_PATHS: names of optimisations, separated by commas, that are replaced by their plain paths. */
export const plainPathsVariable = () =>
  z.string().transform((text, context): PlainPaths => {
    const names = text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    if (!names.every(isOptimisation)) {
      context.addIssue(`expected names of ${Object.keys(optimisations).join(', ')}, separated by commas`);
      return z.NEVER;
    }
    return new Set(names);
  });
