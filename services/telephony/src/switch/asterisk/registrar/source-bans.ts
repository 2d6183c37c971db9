import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { addBan, listBans, removeBan } from '../../../storage/sip-bans';
import type { SipBan } from '../../../storage/sip-bans';
import type { AriClient } from '../ari-client';

export interface SourceBansOptions {
  database: Database;
  ari: Pick<AriClient, 'putAcl' | 'deleteObject'>;
  log: Logger;
  most: number;
}

export interface SourceBans {
  /** False: it was banned already. */
  ban(address: string, forMs: number): Promise<boolean>;
  /** Brings Asterisk into agreement with the table: adds new bans, lifts expired ones. Never rejects. */
  reconcile(): Promise<void>;
  /** Asterisk may have been restarted without its bans: the next round writes all of them. */
  writeAgain(): void;
  readonly count: number;
}

/**
 * Banned addresses: each has a row, and an ACL object in Asterisk's memory, which responds with 403 to all requests from the
 * address before any lookup. One object per address, because Asterisk can create and delete an ACL but not change it.
 */
export function createSourceBans({ database, ari, log, most }: SourceBansOptions): SourceBans {
  /** The bans that this process has written to Asterisk. */
  const written = new Set<string>();
  let count = 0;
  let failed = false;
  let turn = Promise.resolve();

  /** In one transaction: the row stays if Asterisk cannot be reached, and a new ban of the address waits until its ACL is gone. */
  const lift = (ban: SipBan): Promise<void> =>
    database.transaction(async (tx) => {
      if (!(await removeBan(tx, ban))) return;
      await ari.deleteObject('acl', objectOf(ban.address));
      written.delete(ban.address);
    });

  const write = async ({ address }: SipBan): Promise<void> => {
    if (written.has(address)) return;
    await ari.putAcl(objectOf(address), { deny: `${address}/${address.includes(':') ? 128 : 32}` });
    written.add(address);
  };

  const round = async (): Promise<void> => {
    try {
      const bans = (await listBans(database)).map((ban, nth) => ({ ...ban, isOver: ban.isOver || nth >= most }));
      // Another replica may have lifted some.
      const banned = new Set(bans.map(({ address }) => address));
      for (const address of written) if (!banned.has(address)) written.delete(address);
      for (const ban of bans) await (ban.isOver ? lift(ban) : write(ban));
      count = bans.filter(({ isOver }) => !isOver).length;
      if (failed) log.info('bans of SIP sources are written to Asterisk again');
      failed = false;
    } catch (error) {
      // It is tried again soon; one message per outage is enough.
      if (!failed) log.error({ err: error }, 'bans of SIP sources cannot be written to Asterisk');
      failed = true;
    }
  };

  return {
    async ban(address, forMs) {
      const added = await addBan(database, { address, forMs });
      // A former ban of this address may have been lifted by another replica.
      if (added) written.delete(address);
      return added;
    },
    reconcile() {
      turn = turn.then(round);
      return turn;
    },
    writeAgain: () => written.clear(),
    get count() {
      return count;
    },
  };
}

function objectOf(address: string): string {
  return `ban-${address}`;
}
