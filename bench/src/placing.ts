import { grantCredit } from './credit';
import { openHttpJob } from './http-job';
import type { BenchStack } from './stack';
import { withDatabase } from './with-database';

/** Rings for as long as the measurement lasts, so that nothing but placing is measured. */
const ringing = '551155500104';

/** Places calls of an account, which gets credit for them: the stack's own unless given. */
export async function openPlacing(
  stack: BenchStack,
  { domain, token }: Pick<BenchStack, 'domain' | 'token'> = stack,
): Promise<ReturnType<typeof openHttpJob>> {
  await grantCredit(stack.grpcOf('billing'), [await accountOf(stack, domain)], 'bench-calls');
  return openHttpJob({
    origin: stack.gatewayUrl,
    connections: 64,
    request: () => ({
      method: 'POST',
      path: '/api/v1/calls',
      headers: { 'content-type': 'application/json', authorization: token },
      body: JSON.stringify({ extension: '1000', called: ringing, metadata: { leadId: 1 } }),
    }),
    expectedStatus: 200,
  });
}

const accountOf = (stack: BenchStack, domain: string): Promise<number> =>
  withDatabase(stack, async (client) => {
    const { rows } = await client.query<{ account_id: string }>(
      'SELECT account_id FROM extensions.extensions WHERE domain = $1 LIMIT 1',
      [domain],
    );
    return Number(rows[0]!.account_id);
  });
