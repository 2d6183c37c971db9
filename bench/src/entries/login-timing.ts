import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import type { ComparisonEntry } from '../comparison';
import type { OpenStack } from '../stack';

const people = 25;
/** One for the warm-up and eight that count stay below the ten failures at which logins for an e-mail are blocked. */
const triesEach = 9;

/**
 * Whether the time of a refused login tells a stranger that an e-mail is known. Both sides are wrong passwords for e-mails of
 * equal length from equal addresses, each tried equally often, so that being known is all that differs between them; several
 * people share the tries, so that the throttle of the service runs as it is and never blocks.
 */
export function loginTiming(openStack: OpenStack): ComparisonEntry {
  return {
    name: 'timing of a refused login',
    sides: ['known e-mail', 'unknown e-mail'],
    async prepare() {
      const stack = await openStack();
      const pool = new Pool(stack.gatewayUrl, { connections: 1 });
      const run = randomBytes(4).toString('hex');
      const address = (person: number) => `10.77.${person}.1`;
      const known = (person: number) => `k-${person}-${run}@example.com`;
      const unknown = (person: number) => `u-${person}-${run}@example.com`;

      async function post(path: string, from: string, body: object, expected: number): Promise<void> {
        const answer = await pool.request({
          method: 'POST',
          path: `/api/v1${path}`,
          headers: { 'content-type': 'application/json', 'x-forwarded-for': from, authorization: stack.token },
          body: JSON.stringify(body),
        });
        const text = await answer.body.text();
        if (answer.statusCode !== expected) throw new Error(`${path}: status ${answer.statusCode}: ${text}`);
      }

      for (let person = 0; person < people; person += 1) {
        const user = { name: 'Bench', email: known(person), password: `right-${run}`, emailVerified: true };
        await post('/users', address(person), user, 200);
      }
      return {
        warmUpRounds: people,
        rounds: people * (triesEach - 1),
        jobs(round) {
          const person = round % people;
          const fail = (email: string) => () =>
            post('/users/login', address(person), { email, password: `wrong-${run}` }, 401);
          return [fail(known(person)), fail(unknown(person))];
        },
        close: () => pool.close(),
      };
    },
  };
}
