import { readFileSync } from 'node:fs';
import path from 'node:path';
import { defaultProtoRoot } from '../contract/contract';

/** What a message is sent as: requests have what the contract requires, responses all but what is omitted when unset. */
export type Side = 'request' | 'response';

/** The example of a field, by the message and the JSON name; undefined if there is none. */
export interface Examples {
  of(message: string, field: string): unknown;
  /** Fields for which the message has an example of its own. */
  namedBy(message: string): ReadonlySet<string>;
}

/** For fields that mean the same in every message. */
const EVERYWHERE = '*';

/** Reads protos/openapi/examples.json: by message and field, and under "*" by field alone. */
export function readExamples(): Examples {
  const file = path.join(defaultProtoRoot(), 'openapi', 'examples.json');
  const all = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, unknown>>;
  return {
    of: (message, field) => {
      const own = all[message];
      return own !== undefined && field in own ? own[field] : all[EVERYWHERE]?.[field];
    },
    namedBy: (message) => new Set(Object.keys(all[message] ?? {})),
  };
}
