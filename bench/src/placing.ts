import { Client } from 'pg';
import { grantCredit } from './credit';
import { openHttpJob } from './http-job';
import type { BenchStack } from './stack';

/** Rings for as long as the measurement lasts, so that nothing but placing is measured. */
const ringing = '551155500104';

/** Places calls of the stack's own account, which has credit for them. */
export async function openPlacing(stack: BenchStack): Promise<ReturnType<typeof openHttpJob>> {
  await grantCredit(stack.grpcOf('billing'), [await accountOf(stack)], 'bench-calls');
  return openHttpJob({
    origin: stack.gatewayUrl,
    connections: 64,
    request: () => ({
      method: 'POST',
      path: '/api/v1/calls',
      headers: { 'content-type': 'application/json', authorization: stack.token },
      body: JSON.stringify({ extension: '1000', called: ringing, metadata: { leadId: 1 } }),
    }),
    expectedStatus: 200,
  });
}

async function accountOf({ postgresUrl, domain }: BenchStack): Promise<number> {
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ account_id: string }>(
      'SELECT account_id FROM extensions.extensions WHERE domain = $1 LIMIT 1',
      [domain],
    );
    return Number(rows[0]!.account_id);
  } finally {
    await client.end();
  }
}
