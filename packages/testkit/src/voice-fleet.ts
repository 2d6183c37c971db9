import { randomUUID } from 'node:crypto';
import { CallRecords } from './call-records';
import { openCallingAccount, type CallingAccount } from './calling-account';
import { eventually } from './eventually';
import { startOwnStack, type OwnStack } from './own-stack';
import { patientGateways } from './patient';
import { PhoneBank, type BankCall } from './softphone/phone-bank';
import { measureSound } from './softphone/wave-file';
import { readProcesses } from './stack-process';

export interface VoiceFleetOptions {
  switches: number;
  edges: number;
  /** Of telephony. */
  replicas: number;
  extensions: number;
  /** How many of the extensions are recorded; what they say and hear is a stream of audio. */
  recorded: number;
  /** Default: it does not hang up. */
  carrierHangsUpAfterMs?: number;
}

export interface FleetCall {
  id: string;
  ramal: string;
  /** Only this call is to that number. */
  number: string;
}

/** What the API shows of a recording. */
export interface FleetRecording {
  /** The id of its call. */
  id: string;
  seconds: number;
  /** 0: it is said to be whole. */
  missingSeconds: number;
}

interface TimelineEntry {
  message: string;
  detail: { missingSeconds?: number };
}

/** In reais. */
export const FLEET_CREDIT = 5_000;
const NO_LIMIT = '1000000';
/** Asterisk ends a leg after a minute of silence. */
const SIGN_OF_LIFE_MS = 15_000;
const PACKET_MS = 20;
const FIRST_NUMBER = 551132000000;
/** How many calls are placed at once. */
const ABREAST = 8;

/** A stack of several nodes and edges, an account whose phones are spread over the edges, and the carrier that its calls go to. */
export class VoiceFleet {
  /** All calls so far. */
  readonly calls: FleetCall[] = [];
  private lastNumber = FIRST_NUMBER;

  private constructor(
    readonly stack: OwnStack,
    readonly carrier: PhoneBank,
    readonly account: CallingAccount,
    readonly records: CallRecords,
    /** Numbers of calls that are a stream of audio. */
    private readonly audible: Set<string>,
    /** Numbers at which the carrier lets it ring until it is told to answer. */
    private readonly ringing: Set<string>,
    private readonly recorded: number,
  ) {}

  static async open(options: VoiceFleetOptions): Promise<VoiceFleet> {
    const audible = new Set<string>();
    const ringing = new Set<string>();
    const pace = (number: string) => (audible.has(number) ? PACKET_MS : SIGN_OF_LIFE_MS);
    const { switches, edges, replicas, extensions, recorded, carrierHangsUpAfterMs: talkMs } = options;
    const carrier = await PhoneBank.open({
      ...{ server: '', speaks: ({ called }) => pace(called) },
      manner: (called) => (ringing.has(called) ? 'ring' : 'answer'),
      onInvite: (call) =>
        talkMs !== undefined && setTimeout(() => void carrier.hangUp(call).catch(() => undefined), talkMs),
    });
    const stack = await startOwnStack({
      ...{ asterisk: true, switches, edges, replicas: { telephony: replicas } },
      settings: {
        TRUNKS: JSON.stringify([{ name: 'bank', server: carrier.address, format: 'e164', qualifySeconds: 0 }]),
        ...patientGateways,
        RATE_LIMIT_PLACE_CALL: NO_LIMIT,
        RATE_LIMIT_HANGUP: NO_LIMIT,
        RATE_LIMIT_OTHER: NO_LIMIT,
      },
    });
    try {
      const account = await openCallingAccount(stack, {
        ...{ extensions, recorded, users: 1, credit: FLEET_CREDIT },
        servers: stack.edges.map(({ sipUdp }) => sipUdp),
        speaks: ({ caller }) => pace(caller),
      });
      const types = ['channel-create', 'channel-answer', 'channel-hangup'];
      const records = await CallRecords.open(stack, account.users[0]!, types);
      const fleet = new VoiceFleet(stack, carrier, account, records, audible, ringing, recorded);
      await fleet.untilActive();
      return fleet;
    } catch (error) {
      carrier.end();
      await stack.end();
      throw error;
    }
  }

  /** One request; returns the call, or the status of the refusal. */
  async request(
    ramal: string,
    number = this.newNumber(ramal),
    key: string = randomUUID(),
  ): Promise<FleetCall | { refused: number }> {
    const body = { extension: ramal, called: number };
    const headers = { 'idempotency-key': key };
    const answer = await this.account.users[0]!.api().post<{ id: string }>('/calls', body, { headers });
    if (answer.status !== 200) return { refused: answer.status };
    const call = { id: answer.body.id, ramal, number };
    this.calls.push(call);
    return call;
  }

  /** As a client does that tries again when the API is away for a moment: with the same key. */
  async place(ramal: string, number = this.newNumber(ramal)): Promise<FleetCall> {
    const key = randomUUID();
    return eventually(
      async () => {
        const answer = await this.request(ramal, number, key);
        if ('refused' in answer) throw new Error(`POST /calls answered ${answer.refused}`);
        return answer;
      },
      { intervalMs: 250 },
    );
  }

  /** A call that rings at the carrier until it is told to answer. */
  async ring(ramal: string): Promise<FleetCall> {
    const number = this.newNumber(ramal);
    this.ringing.add(number);
    const call = await this.place(ramal, number);
    await this.ringsAtCarrier(call);
    return call;
  }

  /** The nth time that the carrier is asked for the call. */
  ringsAtCarrier(call: FleetCall, nth = 0): Promise<BankCall> {
    return eventually(() => this.legsOf(call).carrier[nth]);
  }

  /** One call of each extension. */
  callAll(): Promise<FleetCall[]> {
    return abreast(this.account.ramals, (ramal) => this.place(ramal));
  }

  /** Asks the API for each of these calls. */
  look(calls: readonly FleetCall[]): Promise<{ status: number; ms: number }[]> {
    return abreast(calls, async ({ id }) => {
      const begun = performance.now();
      const { status } = await this.account.users[0]!.api().get(`/calls/${id}`);
      return { status, ms: performance.now() - begun };
    });
  }

  /** Waits until both phone and carrier have picked up and the record says so. */
  async untilTalking(calls: readonly FleetCall[], timeoutMs = 180_000): Promise<void> {
    const ids = calls.map(({ id }) => id);
    await this.records.until(ids, 'answered', { timeoutMs, intervalMs: 100 });
  }

  /** Adds calls until so many are up. */
  async fill(count: number): Promise<FleetCall[]> {
    const up = await this.up();
    const { ramals } = this.account;
    const wanted = Array.from({ length: Math.max(0, count - up.length) }, (_, nth) => ramals[nth % ramals.length]!);
    const added = await abreast(wanted, (ramal) => this.place(ramal));
    await this.untilTalking(added);
    return this.up();
  }

  /** The calls that are up. */
  async up(): Promise<FleetCall[]> {
    const rows = await this.records.rows(this.calls.map(({ id }) => id));
    const live = new Set(rows.filter(({ status }) => status !== 'ended').map(({ id }) => id));
    return this.calls.filter(({ id }) => live.has(id));
  }

  /** The calls on each node. */
  async byNode(calls: readonly FleetCall[]): Promise<Map<string, FleetCall[]>> {
    const rows = await this.records.rows(calls.map(({ id }) => id));
    const nodeOf = new Map(rows.map(({ id, switch: node }) => [id, node]));
    const nodes = new Map<string, FleetCall[]>();
    for (const call of calls) {
      const node = nodeOf.get(call.id) ?? '';
      nodes.set(node, [...(nodes.get(node) ?? []), call]);
    }
    return nodes;
  }

  async hangUp(calls: readonly FleetCall[]): Promise<void> {
    const client = this.account.users[0]!;
    await abreast(calls, ({ id }) =>
      eventually(async () => [200, 404].includes((await client.api().post(`/calls/${id}/hangup`)).status), {
        intervalMs: 250,
      }),
    );
  }

  isAudible({ number }: FleetCall): boolean {
    return this.audible.has(number);
  }

  /** The legs of a call at the phone and at the carrier. */
  legsOf({ number }: FleetCall): { phone: BankCall[]; carrier: BankCall[] } {
    const phone = [...this.account.bank.calls.values()].filter(({ caller }) => caller === number);
    return { phone, carrier: [...this.carrier.calls.values()].filter(({ called }) => called === number) };
  }

  /** Those of the calls that were not at exactly one phone and one carrier, once each. */
  rungTwice(calls: readonly FleetCall[]): string[] {
    return calls.flatMap(({ id, number }) => {
      const phone = this.account.bank.timesInvited({ caller: number });
      const carrier = this.carrier.timesInvited({ called: number });
      return phone === 1 && carrier === 1 ? [] : [`${id}: ${phone} at the phone, ${carrier} at the carrier`];
    });
  }

  /** Waits until each of the audible calls among these is heard further, at both ends. */
  async untilHeard(calls: readonly FleetCall[], packets = 25): Promise<void> {
    const legs = calls
      .filter((call) => this.isAudible(call))
      .flatMap((call) => Object.values(this.legsOf(call)).flat());
    const before = legs.map(({ heard }) => heard);
    await eventually(() => legs.every(({ heard }, nth) => heard > before[nth]! + packets));
  }

  /** No BYE comes from a node that is gone, or through an edge that is. */
  forget(calls: readonly FleetCall[]): void {
    for (const leg of calls.flatMap((call) => Object.values(this.legsOf(call)).flat())) leg.state = 'ended';
  }

  /** Waits until what was recorded of the audible calls among these is stored, and fetches it as a client does. */
  recordings(calls: readonly FleetCall[]): Promise<FleetRecording[]> {
    const api = this.account.users[0]!.api();
    const audible = calls.filter((call) => this.isAudible(call));
    return Promise.all(
      audible.map(async ({ id }) => {
        const { missingSeconds = 0 } = await eventually(async () => {
          const { body } = await api.get<TimelineEntry[]>(`/calls/${id}/timeline`);
          return body.find(({ message }) => message.startsWith('recording stored'))?.detail;
        });
        const { body: call } = await api.get<{ record_url: string }>(`/calls/${id}`);
        const audio = await fetch(call.record_url);
        if (audio.status !== 200) throw new Error(`the recording of ${id} answers ${audio.status}`);
        const { seconds } = measureSound(Buffer.from(await audio.arrayBuffer()));
        return { id, seconds, missingSeconds };
      }),
    );
  }

  /** The state of each node as operators see it. */
  async states(): Promise<Map<string, string>> {
    const { rows } = await this.records.sql.query<{ name: string; state: string }>(
      'SELECT name, state FROM sip.switches',
    );
    return new Map(rows.map(({ name, state }) => [name, state]));
  }

  async untilActive(): Promise<void> {
    const { switches } = this.stack;
    await eventually(async () => {
      const states = await this.states();
      if (!switches.every(({ name }) => states.get(name) === 'active'))
        throw new Error(JSON.stringify([...states.entries()]));
      return true;
    });
  }

  /** Which nodes each replica of telephony drives. */
  async driven(): Promise<Map<string, string[]>> {
    const { processes } = readProcesses(this.stack.home);
    const replicas = processes.filter(({ name }) => name.startsWith('telephony'));
    const drives = await Promise.all(
      replicas.map(async ({ name, metricsUrl = '' }): Promise<[string, string[]]> => {
        const text = await (await fetch(metricsUrl)).text();
        const connected = text.matchAll(/^sabia_switch_connected\{.*?switch="([^"]+)".*\} 1$/gm);
        return [name, [...connected].map(([, node = '']) => node)];
      }),
    );
    return new Map(drives);
  }

  /** How many replicas of telephony hold the leases of all nodes; 0: a node has none. */
  async holders(): Promise<number> {
    const { rows } = await this.records.sql.query<{ holder: string }>(
      'SELECT holder FROM telephony.switch_leases WHERE expires_at > clock_timestamp()',
    );
    return rows.length < this.stack.switches.length ? 0 : new Set(rows.map(({ holder }) => holder)).size;
  }

  async end(): Promise<void> {
    this.account.bank.end();
    this.carrier.end();
    await this.records.close();
    await this.stack.end();
  }

  private newNumber(ramal: string): string {
    this.lastNumber += 1;
    const number = String(this.lastNumber);
    if (this.account.ramals.indexOf(ramal) < this.recorded) this.audible.add(number);
    return number;
  }
}

/** Some at a time, in their order. */
async function abreast<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let nth = next++; nth < items.length; nth = next++) results[nth] = await work(items[nth]!);
  };
  await Promise.all(Array.from({ length: ABREAST }, worker));
  return results;
}
