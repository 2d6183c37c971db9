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

/** How the calls of an account came out. */
export interface Outcome {
  /** Answered, talked and ended by the carrier. */
  whole: number;
  failed: CallEnd[];
}

/** An account of its own whose phones are real to Asterisk, and calls from them to a carrier that hangs up after a while. */
export interface RealCalls {
  endpointOf(ramal: string): string;
  ramals: readonly string[];
  place(ramal: string): Promise<string>;
  /** So many each second, whatever happens to those before, from one extension after the other. Returns the refusals. */
  placeMany(count: number, perSecond: number, say: (line: string) => void): Promise<string[]>;
  hangUp(id: string): Promise<void>;
  /** The moment at which the phone of this extension is called, by performance.now(). */
  nextInvite(ramal: string): Promise<number>;
  /** The phone of this extension registers again, with a challenge. */
  register(ramal: string): Promise<void>;
  /** Resolves when so many phones are in a call. */
  talking(count: number): Promise<void>;
  /** Resolves when no phone is in a call. */
  quiet(): Promise<void>;
  /** When all calls of the account are over, or do not end. */
  outcome(): Promise<Outcome>;
  close(): Promise<void>;
}

export const number = '551155500201';

const PACKET_MS = 20;
const INVITE_MS = 10_000;
/** Beyond the time of talking. */
const SETTLE_MS = 30_000;
const isUnderWay = (cause: string): boolean => ['queued', 'ringing', 'answered'].includes(cause);

export interface RealCallsOptions {
  /** Both sides speak all the time. Default: neither, because audio costs more than the set-up of a call. */
  audible?: boolean;
  recorded?: boolean;
  /** The number that is called. */
  called?: string;
}

export async function openRealCalls(
  stack: BenchStack,
  extensions: number,
  talkMs = 1_000,
  { audible = false, recorded = false, called = number }: RealCallsOptions = {},
): Promise<RealCalls> {
  const { domain, senha, token, ramals } = await openFilledAccount(stack, extensions, { recorded });
  const stopCarrier = audible ? await openSpeakingCarrier(stack, talkMs) : await openMuteCarrier(stack, talkMs);
  const sql = new Client({ connectionString: stack.postgresUrl });
  await sql.connect();
  await grantCredit(stack, sql, domain);
  const waiting = new Map<string, (call: BankCall) => void>();
  const bank = await PhoneBank.open({
    server: stack.sip?.udp ?? '',
    ...(audible ? { speaks: () => PACKET_MS } : { mute: true }),
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

  const place = async (extension: string) => (await post('/calls', { extension, called })).id;

  async function ends(): Promise<CallEnd[]> {
    const { rows } = await sql.query<CallEnd>(
      `SELECT coalesce(hangup_cause, status) AS cause, coalesce(duration, 0) AS duration, count(*)::int AS calls
       FROM telephony.calls WHERE domain = $1 GROUP BY 1, 2 ORDER BY calls DESC`,
      [domain],
    );
    return rows;
  }

  return {
    ramals,
    endpointOf: (ramal) => `PJSIP/${ramal}@${domain}`,
    place,
    async placeMany(count, perSecond, say) {
      const refusals: string[] = [];
      const asked: Promise<unknown>[] = [];
      const begun = performance.now();
      for (let call = 0; call < count; call += 1) {
        await delay(Math.max(0, begun + (call * 1000) / perSecond - performance.now()));
        const placed = place(ramals[call % ramals.length]!);
        asked.push(placed.catch((error: unknown) => refusals.push(String(error))));
        if (call % (perSecond * 10) === 0) say(`  ${call} calls placed at ${perSecond}/s, ${refusals.length} refused`);
      }
      await Promise.all(asked);
      return refusals;
    },
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
    register: (ramal) => bank.register({ ramal, domain, senha }),
    async talking(count) {
      const giveUpAt = Date.now() + SETTLE_MS;
      while (bank.talking.length < count) {
        if (Date.now() > giveUpAt) throw new Error(`only ${bank.talking.length} of ${count} phones are in a call`);
        await delay(20);
      }
    },
    async quiet() {
      while (bank.talking.length > 0) await delay(20);
    },
    async outcome() {
      const giveUpAt = Date.now() + talkMs + SETTLE_MS;
      let all = await ends();
      while (all.some(({ cause }) => isUnderWay(cause)) && Date.now() < giveUpAt) {
        await delay(500);
        all = await ends();
      }
      const good = all.filter(({ cause, duration }) => cause === 'NORMAL_CLEARING' && duration >= talkMs / 1000);
      const whole = good.reduce((sum, { calls }) => sum + calls, 0);
      return { whole, failed: all.filter((end) => !good.includes(end)) };
    },
    async close() {
      bank.end();
      await Promise.all([pool.close(), sql.end(), stopCarrier()]);
    },
  };
}

async function openMuteCarrier(stack: BenchStack, talkMs: number): Promise<() => Promise<void>> {
  const carrier = await SippCarrier.start(hangsUpAfter(talkMs), { port: stack.carrierPort, busy: true });
  return () => carrier.stop();
}

async function openSpeakingCarrier(stack: BenchStack, talkMs: number): Promise<() => Promise<void>> {
  const carrier = await PhoneBank.open({
    ...{ server: '', port: stack.carrierPort, speaks: () => PACKET_MS },
    onInvite: (call) => setTimeout(() => void carrier.hangUp(call).catch(() => undefined), talkMs),
  });
  return () => Promise.resolve(carrier.end());
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
