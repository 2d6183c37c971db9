import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { NumberProofFailure, NumberProofStatus } from '@sabia/protos/sabia/telephony/v1/number_proofs';
import type { NumberProof } from '@sabia/protos/sabia/telephony/v1/number_proofs';
import { freePort } from '@sabia/embedded/process/ports';
import { eventually } from '@sabia/testkit/eventually';
import { refusal } from '@sabia/testkit/refused-rpc';
import { Softphone } from '@sabia/testkit/softphone/softphone';
import { startTestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import type { TestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import { newAccount, numbers, onlyNode, openStage, proofCode, whenCall } from './stage';
import type { Replica, Stage } from './stage';

/** A number is called through Asterisk, and a real phone at a carrier answers and presses keys. */
const number = '5511977770001';
let stage: Stage;
let asterisk: TestAsterisk;
let replica: Replica;
let caller: Caller;
let phone: Softphone;
let port: number;

async function startReplica(): Promise<Replica> {
  const { ariUrl: url, ariUser: user, ariPassword: password, sipCapture: capture } = asterisk;
  return stage.start({
    asterisk: { nodes: onlyNode(url, asterisk.sip), user, password, app: 'sabia', capture },
    trunks: [
      { name: asterisk.testTrunk, format: '+e164', routes: [{ prefix: '551155500' }] },
      { name: 'mobile', server: `127.0.0.1:${port}`, format: 'e164', callerId: '551140028922', qualifySeconds: 0 },
    ],
  });
}

const telephony = () => replica.as(caller);

async function start(wanted = number): Promise<NumberProof> {
  const { proof } = await telephony().startNumberProof({ number: wanted });
  return proof!;
}

const when = (id: string, status: NumberProofStatus): Promise<NumberProof> =>
  eventually(async () => {
    const { proof } = await telephony().getNumberProof({ id });
    return proof!.status === status ? proof : undefined;
  });

const { CALLING, PROVEN, FAILED } = NumberProofStatus;

const isProven = (id: string) => async () => (await telephony().getNumberProof({ id })).proof!.status === PROVEN;

beforeAll(async () => {
  stage = await openStage();
  asterisk = await startTestAsterisk(stage.database);
  caller = newAccount(stage);
  port = await freePort();
  const nobody = { ramal: 'mobile', domain: '127.0.0.1', senha: '', server: '127.0.0.1:9', registers: false };
  phone = await Softphone.start({ ...nobody, port });
  replica = await startReplica();
});

afterEach(() => phone.forget());

afterAll(async () => {
  await phone?.kill();
  await replica?.stop();
  await asterisk?.stop();
  await stage?.close();
});

test('who answers hears beeps, and proves the number with the code; the call says what it was, and never the code', async () => {
  const proof = await start();
  expect(proof).toMatchObject({ number, status: CALLING, code: proofCode, triesLeft: 3 });
  await phone.waitFor('CALL_ESTABLISHED');
  await phone.waitHeard({ seconds: 2, loudness: 20 });
  // A slip of the finger is taken back with a star.
  await phone.press('99');
  await phone.pressUntil(proofCode, isProven(proof.id));
  const proven = await when(proof.id, PROVEN);
  expect(proven).toMatchObject({ id: proof.id, failure: undefined, code: undefined });
  await phone.waitFor('CALL_CLOSED');
  const call = await whenCall(telephony(), proof.id, 'ended');
  expect(call).toMatchObject({
    ...{ from: '', to: number, call_type: 'outbound', hangup_cause: 'NORMAL_CLEARING', record_url: undefined },
    metadata: '{"purpose":"number-proof"}',
  });
  const { entries } = await telephony().getCallTimeline({ id: proof.id });
  expect(entries.map(({ message }) => message)).toContain('the right code was keyed in');
  expect(JSON.stringify([call, entries, await stage.eventsOf(proof.id)])).not.toContain(proofCode);
  expect(stage.neighbours.reserved.get(proof.id)).toBeGreaterThan(0);
});

test('after three wrong codes the call ends, and it cannot be transferred to anybody meanwhile', async () => {
  const { id } = await start();
  await phone.waitFor('CALL_ESTABLISHED');
  await whenCall(telephony(), id, 'answered');
  expect(await refusal(telephony().transferCall({ id, to: '1000' }))).toMatchObject({ codes: { from: 'inclusion' } });
  for (const left of [2, 1, 0]) {
    await phone.pressUntil('000000', async () => (await telephony().getNumberProof({ id })).proof!.triesLeft <= left);
  }
  expect(await when(id, FAILED)).toMatchObject({ failure: NumberProofFailure.WRONG_CODE });
  await phone.waitFor('CALL_CLOSED');
});

test('another replica that takes the call over hears the code', async () => {
  const { id } = await start();
  await phone.waitFor('CALL_ESTABLISHED');
  await whenCall(telephony(), id, 'answered');
  await replica.stop();
  replica = await startReplica();
  await phone.pressUntil(proofCode, isProven(id));
  await phone.waitFor('CALL_CLOSED');
});

test.each([
  ['hangs up', number, async () => phone.hangup(), NumberProofFailure.NO_CODE],
  ['is busy', numbers.busy, undefined, NumberProofFailure.BUSY],
  ['rejects', numbers.reject, undefined, NumberProofFailure.REJECTED],
  ['does not exist', numbers.unallocated, undefined, NumberProofFailure.UNREACHABLE],
])('a number that %s is not proven', async (_what, called, act, failure) => {
  const { id } = await start(called);
  if (act) {
    await phone.waitFor('CALL_ESTABLISHED');
    await whenCall(telephony(), id, 'answered');
    await act();
  }
  expect(await when(id, FAILED)).toMatchObject({ failure });
});

test('a call that is ended by the API is a proof that was cancelled', async () => {
  const { id } = await start(numbers.noAnswer);
  await telephony().hangUp({ id });
  expect(await when(id, FAILED)).toMatchObject({ failure: NumberProofFailure.CANCELLED });
});

test('without credit nobody is called, and the proof does not count', async () => {
  const poor = newAccount(stage, { credit: 0 });
  const refused = await refusal(replica.as(poor).startNumberProof({ number }));
  expect(refused).toMatchObject({ code: 'INSUFFICIENT_CREDIT' });
  expect([...stage.neighbours.proofs.values()].filter(({ accountId }) => accountId === poor.accountId)).toEqual([]);
});

test('a proof is invisible to other accounts', async () => {
  const { id } = await start(numbers.noAnswer);
  const asked = refusal(replica.as(newAccount(stage)).getNumberProof({ id }));
  expect((await asked).kind).toBe(ErrorKind.NOT_FOUND);
  expect((await refusal(telephony().getNumberProof({ id: 'no-id' }))).kind).toBe(ErrorKind.NOT_FOUND);
  await telephony().hangUp({ id });
});
