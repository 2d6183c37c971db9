import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { lasting } from '@sabia/testkit/lasting';
import { promised } from '@sabia/testkit/promised';
import { testNumbers } from '@sabia/embedded/asterisk/test-numbers';
import { Softphone } from '@sabia/testkit/softphone/softphone';
import { startTestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import type { TestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import { newAccount, onlyNode, openStage, whenCall } from './stage';
import type { Replica, Stage } from './stage';

/** Of the warning; the softphone itself sends 440, which the echo gives back. */
const HERTZ = 1_400;
const senha = 'segredo-1';
let stage: Stage;
let asterisk: TestAsterisk;
let replica: Replica;
const phones: Softphone[] = [];

async function openAccount(credit?: number): Promise<{ caller: Caller; phone: Softphone }> {
  const caller = newAccount(stage, { credit });
  const extension = { domain: caller.domain, ramal: '1000', senha };
  await asterisk.addExtension(extension);
  const phone = await Softphone.start({ ...extension, server: asterisk.sipUdp });
  phones.push(phone);
  await phone.waitRegistered();
  return { caller, phone };
}

beforeAll(async () => {
  stage = await openStage();
  asterisk = await startTestAsterisk(stage.database);
  const { ariUrl: url, ariUser: user, ariPassword: password } = asterisk;
  replica = await stage.start({
    asterisk: { nodes: onlyNode(url, asterisk.sip), user, password, app: 'sabia' },
    policy: {
      ...{ ringSeconds: 45, maximumSeconds: 6, extendSeconds: 60, extendLeadSeconds: 10 },
      ...{ warningSeconds: 2, hangupSeconds: 5 },
    },
  });
});

afterAll(async () => {
  await Promise.all(phones.map((phone) => phone.kill()));
  await replica?.stop();
  await asterisk?.stop();
  await stage?.close();
});

async function beCut(seconds: number, credit?: number): Promise<void> {
  const { caller, phone } = await openAccount(credit);
  const telephony = replica.as(caller);
  const { id } = await telephony.placeCall({ extension: '1000', called: testNumbers.echo });
  const call = await whenCall(telephony, id, 'ended');
  expect(call).toMatchObject({ hangup_cause: 'ALLOTTED_TIMEOUT', duration: lasting(seconds) });
  const [ended] = (await stage.eventsOf(id)).slice(-1);
  expect(ended!.call.hangupCauseCode).toBe('602');

  await phone.waitFor('CALL_CLOSED');
  const { seconds: heard } = phone.heard();
  const tone = phone.heardTone(HERTZ);
  // Three of 0.2 s each, the first two seconds before the end.
  expect(tone?.seconds).toBeGreaterThan(0.4);
  expect(tone?.seconds).toBeLessThan(0.9);
  expect(heard - tone!.from).toBeGreaterThan(1);
  expect(heard - tone!.from).toBeLessThan(promised(3_000) / 1_000);
  const { entries } = await telephony.getCallTimeline({ id });
  expect(entries.filter(({ message }) => message === 'warned of the end')).toHaveLength(1);
}

test('three beeps are heard before a call is cut, because the credit is used up or the longest time is over', async () => {
  await Promise.all([beCut(5, 5), beCut(6)]);
});
