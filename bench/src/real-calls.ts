import { setTimeout as delay } from 'node:timers/promises';
import { credentials } from '@grpc/grpc-js';
import { BillingServiceClient } from '@sabia/protos/sabia/billing/v1/service';
import { PhoneBank } from '@sabia/testkit/softphone/phone-bank';
import type { BankCall } from '@sabia/testkit/softphone/phone-bank';
import { SippCarrier } from '@sabia/testkit/softphone/sipp-carrier';
import { hangsUpAfter } from '@sabia/testkit/softphone/sipp-scenarios';
import { Client } from 'pg';
import { Pool } from 'undici';
import { openFilledAccount } from './filled-account';
import type { BenchStack } from './stack';

export interface CallEnd {
  /** Of calls that are not over: their status. */
  cause: string;
  duration: number;
  calls: number;
}

/** An account of its own whose phones are real to Asterisk, and calls from them to a carrier that hangs up after a second. */
export interface RealCalls {
  endpointOf(ramal: string): string;
  ramals: readonly string[];
  place(ramal: string): Promise<string>;
  hangUp(id: string): Promise<void>;
  /** The moment at which the phone of this extension is called, by performance.now(). */
  nextInvite(ramal: string): Promise<number>;
  /** Resolves when no phone is in a call. */
  quiet(): Promise<void>;
  /** How the calls of the account have ended. */
  ends(): Promise<CallEnd[]>;
  close(): Promise<void>;
}

export const number = '551155500201';

const TALK_MS = 1_000;
const INVITE_MS = 10_000;

export async function openRealCalls(stack: BenchStack, extensions: number): Promise<RealCalls> {
  const { domain, senha, token, ramals } = await openFilledAccount(stack, extensions);
  const carrier = await SippCarrier.start(hangsUpAfter(TALK_MS), { port: stack.carrierPort, busy: true });
  const sql = new Client({ connectionString: stack.postgresUrl });
  await sql.connect();
  await grantCredit(stack, sql, domain);
  const waiting = new Map<string, (call: BankCall) => void>();
  const bank = await PhoneBank.open({
    server: stack.sip?.udp ?? '',
    // Only the set-up of calls is measured; audio would cost more than that.
    mute: true,
    onInvite: (call) => waiting.get(call.called)?.(call),
  });
  for (const ramal of ramals) await bank.register({ ramal, domain, senha });
  const pool = new Pool(stack.gatewayUrl, { connections: 64 });

  async function post(path: string, body: object, expected = [200]): Promise<{ id: string }> {
    const answer = await pool.request({
      ...{ method: 'POST', path: `/api/v1${path}`, body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json', authorization: token },
    });
    const text = await answer.body.text();
    if (!expected.includes(answer.statusCode))
      throw new Error(`${path}: status ${answer.statusCode}: ${text.slice(0, 200)}`);
    return JSON.parse(text) as { id: string };
  }

  return {
    ramals,
    endpointOf: (ramal) => `PJSIP/${ramal}@${domain}`,
    place: async (extension) => (await post('/calls', { extension, called: number })).id,
    // The carrier may have hung up first.
    hangUp: async (id) => void (await post(`/calls/${id}/hangup`, {}, [200, 404])),
    nextInvite: (ramal) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`the phone of ${ramal} was not called`)), INVITE_MS);
        waiting.set(ramal, ({ invitedAt }) => {
          clearTimeout(late);
          waiting.delete(ramal);
          resolve(invitedAt);
        });
      }),
    async quiet() {
      while (bank.talking.length > 0) await delay(20);
    },
    async ends() {
      const { rows } = await sql.query<CallEnd>(
        `SELECT coalesce(hangup_cause, status) AS cause, coalesce(duration, 0) AS duration, count(*)::int AS calls
         FROM telephony.calls WHERE domain = $1 GROUP BY 1, 2 ORDER BY calls DESC`,
        [domain],
      );
      return rows;
    },
    async close() {
      bank.end();
      await Promise.all([pool.close(), sql.end(), carrier.stop()]);
    },
  };
}

async function grantCredit(stack: BenchStack, sql: Client, domain: string): Promise<void> {
  const { rows } = await sql.query<{ id: string }>('SELECT id FROM identity.accounts WHERE domain = $1', [domain]);
  const billing = new BillingServiceClient(stack.grpcOf('billing'), credentials.createInsecure());
  const grant = { accountId: Number(rows[0]!.id), amount: 1_000_000_000, key: `bench-${domain}`, description: 'bench' };
  await new Promise<void>((resolve, reject) => {
    billing.grantCredit(grant, (error) => (error ? reject(error) : resolve()));
  });
  billing.close();
}
