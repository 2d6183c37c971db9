import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { startAsterisk } from '@sabia/embedded/asterisk/start-asterisk';
import type { Asterisk } from '@sabia/embedded/asterisk/start-asterisk';
import { inheritedEnvironment } from '@sabia/embedded/config';
import type { Kamailio } from '@sabia/embedded/kamailio/start-kamailio';
import { eventually } from '@sabia/testkit/eventually';
import { createRunHome, sharedCache } from '@sabia/testkit/run-homes';
import type { RunHome } from '@sabia/testkit/run-homes';
import { PhoneBank } from '@sabia/testkit/softphone/phone-bank';
import type { BankCall, Manner } from '@sabia/testkit/softphone/phone-bank';
import { startTestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import type { TestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import { startTestEdge, urlForRole } from '@sabia/testkit/softphone/test-edge';
import { createAriClient } from '../../src/switch/asterisk/ari-client';
import type { AriClient } from '../../src/switch/asterisk/ari-client';
import { newAccount, openStage, silent } from '../stage';
import type { Stage } from '../stage';
import { spawnReplica } from './replica-process';
import type { ReplicaProcess } from './replica-process';

const senha = 'segredo-1';

export interface Node {
  name: string;
  asterisk: Asterisk;
  ari: AriClient;
}

export interface FleetOptions {
  nodes: number;
  replicas: number;
  /** Calls that each node may have. */
  capacity?: number;
  /** SIP edges before them. Default: 1. */
  edges?: number;
  /** Milliseconds between the packets of audio that phones and carrier send. Default: they only send back what they hear. */
  speakEveryMs?: number;
}

/** Several Asterisk nodes, driven by replicas in processes of their own, with softphones on one side and a carrier on the other. */
export class SwitchFleet {
  nodes: Node[] = [];
  edges: Kamailio[] = [];
  replicas: ReplicaProcess[] = [];
  /** How the phones and the carrier react to a call, by number; they answer the others. */
  readonly manners = new Map<string, Manner>();
  pickUp: Manner = 'answer';
  readonly caller: Caller;
  phones!: PhoneBank;
  carrier!: PhoneBank;
  private readonly homes: RunHome[] = [];
  private lastNumber = 551132000000;

  private constructor(
    readonly stage: Stage,
    private readonly first: TestAsterisk,
    private readonly options: FleetOptions,
  ) {
    this.caller = newAccount(stage, { gravarAudio: true });
  }

  static async open(options: FleetOptions): Promise<SwitchFleet> {
    const stage = await openStage();
    const fleet = new SwitchFleet(stage, await startTestAsterisk(stage.database), options);
    try {
      await fleet.start();
    } catch (error) {
      await fleet.close();
      throw error;
    }
    return fleet;
  }

  private async start(): Promise<void> {
    this.add('asterisk', this.first);
    for (let nth = 2; nth <= this.options.nodes; nth += 1) {
      const { asterisk, home } = await startFurtherNode(this.stage, this.first);
      this.homes.push(home);
      this.add(`node-${nth}`, asterisk);
    }
    await this.startEdges();
    const { speakEveryMs } = this.options;
    const common = { server: this.first.sipUdp, ...(speakEveryMs !== undefined && { speaks: () => speakEveryMs }) };
    this.carrier = await PhoneBank.open({ ...common, manner: (number) => this.manners.get(number) ?? 'answer' });
    this.phones = await PhoneBank.open({ ...common, manner: () => this.pickUp });
    await this.addPhone(this.caller);
    for (let nth = 0; nth < this.options.replicas; nth += 1) await this.addReplica();
    await eventually(
      async () => (await this.states()).filter((state) => state === 'active').length === this.options.nodes,
    );
    await this.whenEdgesKnowCarriers();
  }

  private async startEdges(): Promise<void> {
    const { edge } = this.first;
    this.edges.push(edge);
    for (let nth = 2; nth <= (this.options.edges ?? 1); nth += 1) {
      const home = await createRunHome('edge');
      this.homes.push(home);
      const options = { home: home.path, name: `edge-${nth}`, sharedPort: edge.sharedPort };
      this.edges.push(await startTestEdge(this.stage.database, options));
    }
  }

  private add(name: string, asterisk: Asterisk): void {
    const { ariUrl: url, ariUser: user, ariPassword: password } = asterisk;
    const ari = createAriClient({ ...{ url, user, password, app: 'sabia' }, log: silent, onEvent: () => undefined });
    this.nodes.push({ name, asterisk, ari });
  }

  /** Another account, with a softphone of its own. */
  async addAccount(): Promise<Caller> {
    const account = newAccount(this.stage);
    await this.addPhone(account);
    return account;
  }

  /** Another extension of the account, with a softphone of its own. */
  async addColleague(ramal: string): Promise<void> {
    const { accountId, domain } = this.caller;
    this.stage.neighbours.extensions.set(`${accountId}/${ramal}`, { domain, gravarAudio: false });
    await this.addPhone(this.caller, ramal);
  }

  private async addPhone({ domain }: Caller, ramal = '1000'): Promise<void> {
    await this.first.addExtension({ domain, ramal, senha });
    await this.phones.register({ domain, ramal, senha });
  }

  async addReplica(): Promise<ReplicaProcess> {
    const { capacity = 100 } = this.options;
    const carrier = { server: this.carrier.address, format: 'e164', qualifySeconds: 0 };
    const replica = await spawnReplica(this.stage, {
      SWITCHES: JSON.stringify(
        this.nodes.map(({ name, asterisk }) => ({ name, ari: asterisk.ariUrl, sip: sipOf(asterisk), capacity })),
      ),
      ARI_USER: this.first.ariUser,
      ARI_PASSWORD: this.first.ariPassword,
      TRUNKS: JSON.stringify([
        { ...carrier, name: 'trunk-bank', routes: [{ prefix: '5511' }] },
        { ...carrier, name: 'trunk-narrow', routes: [{ prefix: '5521' }], maximumCalls: 1 },
      ]),
      MAXIMUM_WAIT_SECONDS: '300',
      SWITCH_POLL_MS: '50',
      RING_TIMEOUT_SECONDS: '60',
    });
    this.replicas.push(replica);
    return replica;
  }

  async close(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.kill()));
    [this.phones, this.carrier].forEach((bank: PhoneBank | undefined) => bank?.end());
    await Promise.all(this.nodes.map(({ ari }) => ari.stop()));
    await Promise.all(this.nodes.slice(1).map(({ asterisk }) => asterisk.kill().then(() => asterisk.stop())));
    await Promise.all(this.edges.slice(1).map((edge) => edge.kill()));
    await this.first.stop();
    this.homes.forEach((home) => home.remove());
    await this.stage.close();
  }

  /** The state of each node as operators see it. */
  async states(): Promise<string[]> {
    const rows = await this.stage.sql.query<{ state: string }>('SELECT state FROM sip.switches ORDER BY name');
    return rows.map(({ state }) => state);
  }

  /** As a superuser. */
  get sql(): TestAsterisk['sql'] {
    return this.first.sql;
  }

  /** Resolves when calls to carriers go through any of the edges. */
  async whenEdgesKnowCarriers(): Promise<void> {
    await eventually(async () => {
      const { rows } = await this.sql.query(
        'SELECT FROM sip.edges WHERE carriers = (SELECT digest FROM sip.carriers_digest) AND EXISTS (SELECT FROM sip.trunk_servers)',
      );
      return rows.length === this.edges.length;
    });
  }

  /** Which replica drives each node. */
  async holders(): Promise<Map<string, string>> {
    const rows = await this.stage.sql.query<{ switch: string; holder: string }>(
      'SELECT switch, holder::text FROM switch_leases WHERE expires_at > clock_timestamp()',
    );
    return new Map(rows.map((row) => [row.switch, row.holder]));
  }

  /** Resolves after the next round of the edge, in which it learns what has changed. */
  async whenEdgeLooks(): Promise<void> {
    const look = () => this.stage.sql.query<{ at: string }>('SELECT seen_at::text AS at FROM sip.edges');
    const [before] = await look();
    await eventually(async () => (await look())[0]?.at !== before?.at);
  }

  nodeOf(name: string): Node {
    return this.nodes.find((node) => node.name === name)!;
  }

  /** The node that a live call is on. */
  async nodeWith(callId: string): Promise<Node> {
    return eventually(async () => {
      const [row] = await this.stage.sql.query<{ switch: string | null }>(
        'SELECT switch FROM live_calls WHERE call_id = $1::uuid',
        [callId],
      );
      return row?.switch ? this.nodeOf(row.switch) : undefined;
    });
  }

  newNumber(): string {
    this.lastNumber += 1;
    return String(this.lastNumber);
  }

  /** It rings until somebody gives up. */
  newRingingNumber(): string {
    const number = this.newNumber();
    this.manners.set(number, 'ring');
    return number;
  }

  /** Its carrier takes one call at a time. */
  newNarrowNumber(): string {
    return this.newNumber().replace(/^5511/, '5521');
  }

  async place(called = this.newNumber(), caller = this.caller): Promise<{ id: string; called: string }> {
    const { id } = await this.replicas[0]!.as(caller).placeCall({ extension: '1000', called });
    return { id, called };
  }

  atPhone(number: string, nth = 0): Promise<BankCall> {
    return eventually(() => [...this.phones.calls.values()].filter((call) => call.caller === number)[nth]);
  }

  atCarrier(number: string, nth = 0): Promise<BankCall> {
    return eventually(() => [...this.carrier.calls.values()].filter((call) => call.called === number)[nth]);
  }

  /** The edge through which the carrier was asked for the call last; undefined: through none. */
  async edgeOf(callId: string): Promise<Kamailio | undefined> {
    const name = await eventually(async () => {
      const [row] = await this.stage.sql.query<{ edge: string | null }>(
        `SELECT detail->>'edge' AS edge FROM call_timeline
         WHERE call_id = $1::uuid AND message = 'destination is being called' ORDER BY entry DESC LIMIT 1`,
        [callId],
      );
      return row && { edge: row.edge };
    });
    return this.edges.find((edge) => edge.name === name.edge);
  }
}

/** Another Asterisk on the same database. */
export async function startFurtherNode(
  { database }: Stage,
  { ariPassword }: TestAsterisk,
  address: { sipHost?: string; sipPort?: number } = {},
): Promise<{ asterisk: Asterisk; home: RunHome }> {
  const home = await createRunHome('asterisk');
  const asterisk = await startAsterisk({
    home: home.path,
    cache: sharedCache,
    postgresUrl: await urlForRole(database, 'sabia_asterisk'),
    path: inheritedEnvironment().PATH,
    // All nodes have the same credentials.
    secrets: { get: (name) => (name === 'ari' ? ariPassword : 'test') },
    ...address,
  });
  if (!asterisk) throw new Error('there is no Asterisk to test with');
  return { asterisk, home };
}

const sipOf = ({ sip: { host, port } }: Asterisk): string => `${host}:${port}`;
