import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import type { Call } from '@sabia/protos/sabia/telephony/v1/messages';
import { Softphone } from '@sabia/testkit/softphone/softphone';
import { startTestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import type { TestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import type { Config } from '../../src/config';
import { createAriClient } from '../../src/switch/asterisk/ari-client';
import type { AriClient } from '../../src/switch/asterisk/ari-client';
import { newAccount, onlyNode, openStage, silent, whenCall } from '../stage';
import type { Replica, Stage, Telephony } from '../stage';

export const senha = 'segredo-1';

export interface AsteriskOffice {
  readonly stage: Stage;
  readonly asterisk: TestAsterisk;
  /** The replica that drives at this moment. */
  readonly replica: Replica;
  readonly caller: Caller;
  /** Of the caller's extension 1000. */
  readonly phone: Softphone;
  /** A client of Asterisk beside the replica. */
  readonly requests: AriClient;
  /** Rpcs of the caller. */
  telephony(): Telephony;
  /** Returns the id of the call. */
  place(called: string): Promise<string>;
  when(id: string, status: Call['status']): Promise<Call>;
  /** Another extension of the caller's account, with a softphone. */
  startPhone(ramal: string): Promise<Softphone>;
  /** Another replica drives from now on; `meanwhile`: what happens while none does. */
  changeDriver(meanwhile?: () => unknown): Promise<void>;
}

/** For the tests of one file: an Asterisk with an edge before it, a replica that drives it, and an account with a softphone. */
export function useAsteriskOffice(): AsteriskOffice {
  let stage: Stage;
  let asterisk: TestAsterisk;
  let replica: Replica;
  let caller: Caller;
  let phone: Softphone;
  let requests: AriClient;
  const phones: Softphone[] = [];

  function configured(): Partial<Config> {
    const { ariUrl: url, ariUser: user, ariPassword: password, sipCapture: capture } = asterisk;
    return {
      asterisk: {
        ...{ nodes: onlyNode(url, asterisk.sip), user, password, app: 'sabia', capture },
        integratedCallHeader: 'X-Api4comintegratedcall',
      },
      // The first one leads nowhere, so that every call also shows that the next one is tried.
      trunks: [
        { name: 'trunk-nowhere', format: 'e164' },
        { name: asterisk.testTrunk, format: '+e164' },
      ],
    };
  }

  async function startPhone(ramal: string): Promise<Softphone> {
    const { domain } = caller;
    const { extensions } = stage.neighbours;
    const name = `${caller.accountId}/${ramal}`;
    if (!extensions.has(name)) extensions.set(name, { domain, gravarAudio: false });
    await asterisk.addExtension({ domain, ramal, senha });
    const started = await Softphone.start({ domain, ramal, senha, server: asterisk.sipUdp });
    phones.push(started);
    await started.waitRegistered();
    started.forget();
    return started;
  }

  beforeAll(async () => {
    stage = await openStage();
    asterisk = await startTestAsterisk(stage.database);
    requests = createAriClient({
      ...configured().asterisk!,
      url: asterisk.ariUrl,
      log: silent,
      onEvent: () => undefined,
    });
    replica = await stage.start(configured());
    caller = newAccount(stage, { gravarAudio: true });
    phone = await startPhone('1000');
  });

  afterAll(async () => {
    await Promise.all(phones.map((one) => one.kill()));
    await replica?.stop();
    await requests?.stop();
    await asterisk?.stop();
    await stage?.close();
  });

  const telephony = (): Telephony => replica.as(caller);

  return {
    get stage() {
      return stage;
    },
    get asterisk() {
      return asterisk;
    },
    get replica() {
      return replica;
    },
    get caller() {
      return caller;
    },
    get phone() {
      return phone;
    },
    get requests() {
      return requests;
    },
    telephony,
    async place(called) {
      const { id } = await telephony().placeCall({ extension: '1000', called });
      return id;
    },
    when: (id, status) => whenCall(telephony(), id, status),
    startPhone,
    async changeDriver(meanwhile = () => undefined) {
      await replica.stop();
      await meanwhile();
      replica = await stage.start(configured());
    },
  };
}
