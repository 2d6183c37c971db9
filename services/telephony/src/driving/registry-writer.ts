import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { LeaseTerm } from '../storage/lease-fence';
import { noteLost, noteSwitch } from '../storage/switch-registry';
import { noteSighting } from '../storage/switch-sightings';
import type { CallSwitch } from '../switch/port';
import { createNodeAddress } from './node-address';

export interface RegistryWriter {
  /** Notes that the switch has responded, unless `isSame` says that the connection has changed in the meantime. */
  sight(isSame: () => boolean): Promise<void>;
  /** Notes that this replica does not reach the switch any more. */
  lose(): Promise<void>;
}

export interface RegistryWriterOptions {
  database: Database;
  callSwitch: Pick<CallSwitch, 'name' | 'pulse' | 'node' | 'takesCalls'>;
  term: () => LeaseTerm;
  log: Logger;
}

/** Tells the other replicas, the SIP edges and operators how the switch is. */
export function createRegistryWriter({ database, callSwitch, term, log }: RegistryWriterOptions): RegistryWriter {
  const { name, node } = callSwitch;
  const addressOf = createNodeAddress({ host: node.sip.host });
  let isFailing = false;

  return {
    async sight(isSame) {
      const at = term();
      try {
        const [{ at: seenAt, isDraining }, host] = await Promise.all([callSwitch.pulse(), addressOf()]);
        if (!isSame()) return;
        const [, state] = await Promise.all([
          noteSighting(database, name, seenAt),
          noteSwitch(database, at, { sip: { host, port: node.sip.port }, capacity: node.capacity, isDraining }),
        ]);
        if (state !== undefined) callSwitch.takesCalls(state === 'active');
        isFailing = false;
      } catch (error) {
        // One warning per outage: a switch that is not noted for five seconds gets no new calls.
        log[isFailing ? 'debug' : 'warn'](
          { err: error, switch: name },
          'it could not be noted that the switch is there',
        );
        isFailing = true;
      }
    },
    async lose() {
      await noteLost(database, term()).catch((error: unknown) =>
        log.debug({ err: error, switch: name }, 'the loss of the switch could not be noted'),
      );
    },
  };
}
