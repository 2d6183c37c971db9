import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { LeaseTerm } from '../storage/lease-fence';
import { noteLost, noteSwitch } from '../storage/switch-registry';
import { noteSighting } from '../storage/switch-sightings';
import type { CallSwitch } from '../switch/port';

export interface RegistryWriter {
  /** Notes that the switch has responded, unless `isSame` says that the connection has changed in the meantime. */
  sight(isSame: () => boolean): Promise<void>;
  /** Notes that this replica does not reach the switch any more. */
  lose(): Promise<void>;
}

export interface RegistryWriterOptions {
  database: Database;
  callSwitch: Pick<CallSwitch, 'name' | 'pulse' | 'node'>;
  term: () => LeaseTerm;
  log: Logger;
}

/** Tells the other replicas, the SIP edges and operators how the switch is. */
export function createRegistryWriter({ database, callSwitch, term, log }: RegistryWriterOptions): RegistryWriter {
  const { name, node } = callSwitch;

  /** Anew each time: a node that was replaced comes back under another address. */
  async function addressOf(host: string): Promise<string> {
    return isIP(host) === 0 ? (await lookup(host)).address : host;
  }

  return {
    async sight(isSame) {
      const at = term();
      try {
        const [{ at: seenAt, isDraining }, host] = await Promise.all([callSwitch.pulse(), addressOf(node.sip.host)]);
        if (!isSame()) return;
        await Promise.all([
          noteSighting(database, name, seenAt),
          noteSwitch(database, at, { sip: { host, port: node.sip.port }, capacity: node.capacity, isDraining }),
        ]);
      } catch (error) {
        log.debug({ err: error, switch: name }, 'the switch does not respond');
      }
    },
    async lose() {
      await noteLost(database, term()).catch((error: unknown) =>
        log.debug({ err: error, switch: name }, 'the loss of the switch could not be noted'),
      );
    },
  };
}
