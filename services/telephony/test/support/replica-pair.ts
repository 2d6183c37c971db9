import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { eventually } from '@sabia/testkit/eventually';
import { PhoneBank } from '@sabia/testkit/softphone/phone-bank';
import type { BankCall, Manner } from '@sabia/testkit/softphone/phone-bank';
import { startTestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import type { TestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import { createAriClient } from '../../src/switch/asterisk/ari-client';
import type { AriClient } from '../../src/switch/asterisk/ari-client';
import { newAccount, openStage, silent, whenCall } from '../stage';
import type { Stage } from '../stage';
import { openCuttableLink } from './cuttable-link';
import type { CuttableLink } from './cuttable-link';
import { spawnReplica } from './replica-process';
import type { ReplicaProcess } from './replica-process';

const senha = 'segredo-1';

/** Two replicas in processes of their own before one Asterisk, with softphones on one side and a carrier on the other. */
export class ReplicaPair {
  replicas: ReplicaProcess[] = [];
  /** How the phones react to a call. */
  pickUp: Manner = 'answer';
  /** How the carrier reacts to a call to each number; it answers the others. */
  readonly manners = new Map<string, Manner>();
  /** The connection of each replica to Asterisk. */
  readonly links = new Map<ReplicaProcess, CuttableLink>();
  readonly caller: Caller;
  readonly requests: AriClient;
  phones!: PhoneBank;
  carrier!: PhoneBank;
  private lastNumber = 551131000000;
  private leaseSeconds = 1;

  private constructor(
    readonly stage: Stage,
    private readonly asterisk: TestAsterisk,
  ) {
    this.requests = this.openAri();
    this.caller = newAccount(stage);
  }

  static async open(): Promise<ReplicaPair> {
    const stage = await openStage();
    const pair = new ReplicaPair(stage, await startTestAsterisk(stage.database));
    try {
      await pair.connectParties();
      await pair.startAgain();
    } catch (error) {
      await pair.close();
      throw error;
    }
    return pair;
  }

  private async connectParties(): Promise<void> {
    const server = this.asterisk.sipUdp;
    this.carrier = await PhoneBank.open({ server, manner: (number) => this.manners.get(number) ?? 'answer' });
    await this.requests.putObject('aor', 'trunk-bank', { contact: `sip:${this.carrier.address}` });
    await this.declareTrunk();
    this.phones = await PhoneBank.open({ server, manner: () => this.pickUp });
    await this.addPhone(this.caller);
  }

  async close(): Promise<void> {
    await this.killAll();
    await Promise.all([...this.links.values()].map((link) => link.close()));
    [this.phones, this.carrier].forEach((bank: PhoneBank | undefined) => bank?.end());
    await this.requests.stop();
    await this.asterisk.stop();
    await this.stage.close();
  }

  /** Ends what a test did to the phones and the connections. */
  restore(): void {
    this.pickUp = 'answer';
    this.links.forEach((link) => link.mend());
  }

  /** A client of Asterisk beside the replicas. */
  openAri(): AriClient {
    const { ariUrl: url, ariUser: user, ariPassword: password } = this.asterisk;
    return createAriClient({ ...{ url, user, password, app: 'sabia' }, log: silent, onEvent: () => undefined });
  }

  /** Extension 1000 of the account, with a softphone. */
  async addPhone({ domain }: Caller): Promise<void> {
    await this.asterisk.addExtension({ domain, ramal: '1000', senha });
    await this.phones.register({ domain, ramal: '1000', senha });
  }

  async declareTrunk(fields: Record<string, string> = {}): Promise<void> {
    await this.requests.putObject('endpoint', 'trunk-bank', {
      ...{ aors: 'trunk-bank', transport: 'udp', context: 'from-trunk', identify_by: 'header' },
      ...{ disallow: 'all', allow: 'alaw', direct_media: 'no' },
      ...fields,
    });
  }

  newNumber(): string {
    this.lastNumber += 1;
    return String(this.lastNumber);
  }

  driver(): Promise<ReplicaProcess> {
    return eventually(() => this.replicas.find(({ drives }) => drives));
  }

  /** The replica that takes over from the one that drove. */
  successorOf(former: ReplicaProcess): Promise<ReplicaProcess> {
    return eventually(() => this.replicas.find((replica) => replica !== former && replica.drives));
  }

  /** Kills the driving replica and starts another one; returns the replica that took over. */
  killDriver = (): Promise<ReplicaProcess> => this.replaceDriver((victim) => victim.kill());

  /** The same, but it leaves in good order. */
  stopDriver = (): Promise<ReplicaProcess> => this.replaceDriver((leaving) => leaving.stop());

  private async replaceDriver(end: (replica: ReplicaProcess) => Promise<void>): Promise<ReplicaProcess> {
    const victim = await this.driver();
    await end(victim);
    this.replicas = this.replicas.filter((replica) => replica !== victim);
    const successor = await this.driver();
    this.replicas.push(await this.start());
    return successor;
  }

  /** Kills all replicas with SIGKILL. */
  async killAll(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.kill()));
    this.replicas = [];
  }

  /** With other replicas. */
  async beginAnew(options: { leaseSeconds?: number } = {}): Promise<ReplicaProcess> {
    this.leaseSeconds = options.leaseSeconds ?? 1;
    await this.killAll();
    return this.startAgain();
  }

  async startAgain(): Promise<ReplicaProcess> {
    this.replicas = [await this.start(), await this.start()];
    return this.driver();
  }

  private async start(): Promise<ReplicaProcess> {
    const link = await openCuttableLink(this.asterisk.ariUrl);
    const replica = await spawnReplica(this.stage, {
      ARI_URL: link.url,
      ARI_USER: this.asterisk.ariUser,
      ARI_PASSWORD: this.asterisk.ariPassword,
      SWITCH_SIP_HOST: this.asterisk.sip.host,
      SWITCH_SIP_PORT: String(this.asterisk.sip.port),
      TRUNKS: JSON.stringify([
        { name: 'trunk-bank', format: 'e164' },
        { name: this.asterisk.testTrunk, format: 'e164' },
      ]),
      SWITCH_LEASE_SECONDS: String(this.leaseSeconds),
      SWITCH_POLL_MS: '50',
      RING_TIMEOUT_SECONDS: '30',
    });
    this.links.set(replica, link);
    return replica;
  }

  async place(replica: ReplicaProcess, called: string): Promise<string> {
    return (await replica.as(this.caller).placeCall({ extension: '1000', called })).id;
  }

  /** Places a call and waits until it is answered. */
  async talkTo(number: string, as: Caller = this.caller): Promise<{ id: string; far: BankCall }> {
    const replica = await this.driver();
    const { id } = await replica.as(as).placeCall({ extension: '1000', called: number });
    const far = await this.atCarrier(number);
    await whenCall(replica.as(as), id, 'answered');
    return { id, far };
  }

  atCarrier(number: string): Promise<BankCall> {
    return eventually(() => [...this.carrier.calls.values()].find(({ called }) => called === number));
  }

  atPhone(number: string): Promise<BankCall> {
    return eventually(() => [...this.phones.calls.values()].find((call) => call.caller === number));
  }
}
