import type { SwitchNode } from '../../domain/switch-node';
import type { Trunk, TrunkState } from '../../domain/trunk';
import { createAriHttp } from './ari-http';

export interface TrunkStatesOptions {
  listNodes: () => Promise<SwitchNode[]>;
  trunks: readonly Trunk[];
  user: string;
  password: string;
}

const TIMEOUT_MS = 2_000;

/** Asks every node about every trunk. A node that does not respond knows nothing. */
export function createTrunkStates({ listNodes, trunks, user, password }: TrunkStatesOptions) {
  async function statesAt({ name, ariUrl }: SwitchNode): Promise<TrunkState[]> {
    const http = createAriHttp({ url: ariUrl, user, password, timeoutMs: TIMEOUT_MS });
    const stateOf = async (trunk: string): Promise<TrunkState> => {
      const path = `/endpoints/PJSIP/${encodeURIComponent(trunk)}`;
      const found = await http.request<{ state?: string }>('GET', path).catch(() => undefined);
      const state = found?.state === 'online' || found?.state === 'offline' ? found.state : 'unknown';
      return { trunk, switchName: name, state };
    };
    try {
      return await Promise.all(trunks.map((trunk) => stateOf(trunk.name)));
    } finally {
      await http.close();
    }
  }

  return async (): Promise<TrunkState[]> => (await Promise.all((await listNodes()).map(statesAt))).flat();
}
