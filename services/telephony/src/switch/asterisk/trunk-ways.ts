import type { Trunk } from '../../domain/trunk';
import type { AriClient } from './ari-client';
import type { CarrierWay } from './carrier-edges';
import { endpointOver } from './trunk-declaration';

export interface TrunkWaysOptions {
  ari: Pick<AriClient, 'putObject' | 'losses'>;
}

/**
 * The endpoints of trunks by way of edges, one for each pair, in Asterisk's memory: created when they are used for the first time, and
 * anew after Asterisk was away. Returns the name of the endpoint.
 */
export function createTrunkWays({ ari }: TrunkWaysOptions) {
  /** By name of the endpoint. Calls that come at once share one request, which takes Asterisk a tenth of a second. */
  const declared = new Map<string, { proxy: string; done: Promise<unknown> }>();
  let { losses } = ari;

  function declare(name: string, trunk: Trunk, proxy: string): Promise<unknown> {
    const done = ari.putObject('endpoint', name, endpointOver(trunk, proxy));
    declared.set(name, { proxy, done });
    done.catch(() => declared.delete(name));
    return done;
  }

  return async (trunk: Trunk, { edge, proxy }: CarrierWay): Promise<string> => {
    if (losses !== ari.losses) {
      ({ losses } = ari);
      declared.clear();
    }
    // No name of a trunk has this character.
    const name = `${trunk.name}~${edge}`;
    const known = declared.get(name);
    await (known?.proxy === proxy ? known.done : declare(name, trunk, proxy));
    return name;
  };
}
