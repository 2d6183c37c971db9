import type { Dispatcher } from 'undici';
import { openFilledAccount, person } from '../filled-account';
import type { FilledAccount } from '../filled-account';
import type { Entry } from '../harness';
import { openHttpJob } from '../http-job';
import { once } from '../once';
import type { Job } from '../load';
import { openSipClient } from '../sip-register';
import { withAsterisk } from '../stack';
import type { OpenStack } from '../stack';

const few = 100;
const many = 100_000;
const target = 0.85;
const floorName = `with ${few}`;
const withMany = `with ${many.toLocaleString('en')} extensions`;

/**
 * 100,000 extensions: a listing page, a registration and a creation stay as fast as with 100. The floor is the same work in a
 * small account of the same stack; the ratio says what the size of an account costs.
 */
export function manyExtensions(openStack: OpenStack): Entry[] {
  const accounts = once(async () => ({
    small: await openFilledAccount(await openStack(), few),
    large: await openFilledAccount(await openStack(), many),
  }));
  const filter = encodeURIComponent(JSON.stringify({ limit: 50, order: 'ramal DESC' }));

  function overHttp(
    request: (account: FilledAccount) => Omit<Dispatcher.RequestOptions, 'origin'>,
    reset?: (account: FilledAccount) => Promise<void>,
  ): Entry['prepare'] {
    return async () => {
      const { gatewayUrl: origin } = await openStack();
      const { small, large } = await accounts();
      const open = (account: FilledAccount) =>
        openHttpJob({
          origin,
          connections: 64,
          request: () => request(account),
          expectedStatus: 200,
        });
      const [floor, product] = [open(small), open(large)];
      return {
        floor: floor.job,
        product: product.job,
        ...(reset ? { reset: async () => void (await Promise.all([reset(small), reset(large)])) } : {}),
        close: async () => void (await Promise.all([floor.close(), product.close()])),
      };
    };
  }

  return [
    {
      name: `GET /extensions, a page of 50, ${withMany}`,
      floorName,
      target,
      prepare: overHttp(({ token }) => ({
        method: 'GET',
        path: `/api/v1/extensions?filter=${filter}`,
        headers: { authorization: token },
      })),
    },
    {
      name: `SIP REGISTER, and away again, ${withMany}`,
      floorName,
      concurrency: 8,
      target,
      prepare: async () => {
        const { sip } = await withAsterisk(openStack);
        const { small, large } = await accounts();
        const client = await openSipClient(sip.udp);
        const job = (account: FilledAccount): Job => {
          const next = dealer(account.ramals);
          return () => client.registerAndLeave({ ...account, ramal: next() });
        };
        return { floor: job(small), product: job(large), close: async () => client.close() };
      },
    },
    {
      name: `POST /extensions/next-available ${withMany}`,
      floorName,
      target,
      prepare: overHttp(
        ({ token, senha }) => ({
          method: 'POST',
          path: '/api/v1/extensions/next-available',
          headers: { 'content-type': 'application/json', authorization: token },
          body: JSON.stringify({ ...person, senha }),
        }),
        (account) => account.trim(),
      ),
    },
  ];
}

/** Every one in a random order before any comes again: no two workers are the same softphone at once. */
function dealer(ramals: readonly string[]): () => string {
  const deck = [...ramals];
  for (let top = deck.length - 1; top > 0; top -= 1) {
    const other = Math.floor(Math.random() * (top + 1));
    [deck[top], deck[other]] = [deck[other]!, deck[top]!];
  }
  let dealt = 0;
  return () => deck[dealt++ % deck.length]!;
}
