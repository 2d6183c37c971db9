import { lookup as systemLookup, promises } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { createSingleFlight } from '@sabia/service-kit/work/single-flight';

type Callback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

export type Lookup = (hostname: string, options: LookupOptions, callback: Callback) => void;

type Resolve = (hostname: string) => Promise<string[]>;

export interface LookupParts {
  resolve4: Resolve;
  resolve6: Resolve;
  system: Lookup;
}

const timeoutMs = 3_000;
const tries = 2;
/** The system looks up each name on one of four threads that the rest of the process needs, too. */
const mostOfSystem = 2;
/** The DNS has no such name, or there is no DNS server: hosts(5) or a search domain may still know it. */
const unknownToDns = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * Asks the DNS directly, which needs no thread: a name server that does not answer delays only the connections to its own hosts. The
 * system is asked for names that only it can know.
 */
export function createHostLookup(parts: LookupParts = defaultParts()): Lookup {
  const { resolve4, resolve6 } = parts;
  const system = inTurn(parts.system, mostOfSystem);
  return (hostname, options, callback) => {
    if (!hostname.includes('.')) {
      system(hostname, options, callback);
      return;
    }
    void Promise.allSettled([resolve4(hostname), resolve6(hostname)]).then((answers) => {
      const addresses = answers.flatMap((answer, index): LookupAddress[] =>
        answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
      );
      const errors = answers.flatMap((answer) =>
        answer.status === 'rejected' ? [answer.reason as NodeJS.ErrnoException] : [],
      );
      const grave = errors.find(({ code = '' }) => !unknownToDns.has(code));
      if (addresses.length > 0) {
        callback(null, addresses);
      } else if (grave !== undefined) {
        callback(grave, []);
      } else {
        system(hostname, options, callback);
      }
    });
  };
}

function defaultParts(): LookupParts {
  const resolver = new promises.Resolver({ timeout: timeoutMs, tries });
  return {
    resolve4: (hostname) => resolver.resolve4(hostname),
    resolve6: (hostname) => resolver.resolve6(hostname),
    system: systemLookup,
  };
}

/** Concurrent lookups of one name share one result. Nothing is kept: the next lookup asks again. */
export function sharing(lookup: Lookup): Lookup {
  const lookups = createSingleFlight<string, Parameters<Callback>>();
  return (hostname, options, callback) => {
    const begin = () =>
      new Promise<Parameters<Callback>>((resolve) => lookup(hostname, options, (...result) => resolve(result)));
    void lookups.run(hostname, begin).then((result) => callback(...result));
  };
}

function inTurn(lookup: Lookup, most: number): Lookup {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return (hostname, options, callback) => {
    const begin = (): void => {
      underWay += 1;
      lookup(hostname, options, (...answer) => {
        underWay -= 1;
        waiting.shift()?.();
        callback(...answer);
      });
    };
    if (underWay < most) {
      begin();
    } else {
      waiting.push(begin);
    }
  };
}
