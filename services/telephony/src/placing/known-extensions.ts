import { extensionsEvents } from '@sabia/protos/events/extensions';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import type { Extension } from '@sabia/protos/sabia/extensions/v1/messages';
import { holdCache } from '@sabia/service-kit/events/caches/cache-holder';
import { createLease } from '@sabia/service-kit/events/caches/lease';
import { createLeasedCache } from '@sabia/service-kit/events/caches/leased-cache';
import { extensionCache } from '@sabia/service-kit/events/caches/shared-cache';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import type { Logger } from '@sabia/service-kit/logging';
import type { Extensions } from '../clients/extensions';

/** What calls are placed with. Whether the extension is registered is not kept: the switch knows it. */
export type KnownExtension = Pick<
  Extension,
  'domain' | 'bina' | 'first_name' | 'last_name' | 'email_address' | 'gravar_audio'
>;

export interface KnownExtensions {
  /** Undefined: the account has no such extension. */
  find(accountId: number, ramal: string): Promise<KnownExtension | undefined>;
  stop(): void;
}

export interface KnownExtensionsOptions {
  extensions: Pick<Extensions, 'resolve'>;
  nats: Nats;
  log: Logger;
  /** Milliseconds on a clock that nobody sets. */
  elapsed: () => number;
}

interface Found {
  accountId: number;
  extension: KnownExtension | undefined;
}

/** Extensions of ten thousand agents take about ten megabytes. */
const maximum = 10_000;

const { extensionUpdated, extensionDeleted } = extensionsEvents;
const keyOf = (accountId: number, ramal: string): string => `${accountId} ${ramal}`;
const nameOf = (key: string): { accountId: number; ramal: string } => {
  const space = key.indexOf(' ');
  return { accountId: Number(key.slice(0, space)), ramal: key.slice(space + 1) };
};

/** Asks extensions once in a while for an extension that calls again and again. Once a change of it is answered, calls are placed with the change. */
export function createKnownExtensions({ extensions, nats, log, elapsed }: KnownExtensionsOptions): KnownExtensions {
  const lease = createLease(elapsed);

  async function lookup(key: string): Promise<Found> {
    const name = nameOf(key);
    const found = await extensions.resolve(name);
    return { accountId: name.accountId, extension: found && partOf(found.extension) };
  }

  const known = createLeasedCache<Found>({
    lookup,
    ownerOf: ({ accountId, extension }) => (extension === undefined ? undefined : accountId),
    ttlMs: extensionCache.longestMs,
    ...{ maximum, now: elapsed, lease },
  });

  /** A message that names no account drops everything. */
  const dropAccount = ({ accountId }: Pick<Envelope, 'accountId'>): void =>
    accountId === 0 ? known.clear() : known.dropOwner(accountId);

  const stop = holdCache({
    ...{ nats, cache: extensionCache, lease, log },
    onDrop: (bytes) => dropAccount(Envelope.decode(bytes)),
    // A suspension is announced only by these events, one for each extension of the account.
    events: [extensionUpdated, extensionDeleted],
    onEvent: dropAccount,
    clear: () => known.clear(),
  });

  return {
    async find(accountId, ramal) {
      const key = keyOf(accountId, ramal);
      const { extension } = known.kept(key) ?? (await known.lookUp(key));
      // A lookup that was shared may have begun before the extension was created.
      return extension ?? (await lookup(key)).extension;
    },
    stop,
  };
}

const partOf = ({ domain, bina, first_name, last_name, email_address, gravar_audio }: Extension): KnownExtension => ({
  ...{ domain, bina, first_name, last_name, email_address, gravar_audio },
});
