import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { refusal } from '@sabia/testkit/refused-rpc';
import { newAccount, openStage } from './stage';
import type { Replica, Stage } from './stage';

let stage: Stage;
let replica: Replica;

beforeAll(async () => {
  stage = await openStage();
  replica = await stage.start();
});

afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

test('with the simulated switch an extension is registered, by no softphone, and stays so', async () => {
  const telephony = replica.as(newAccount(stage));
  await telephony.endRegistration({ extensionId: 1 });
  const { registration } = await telephony.getRegistration({ extensionId: 1 });
  expect(registration).toMatchObject({ registered: true, user_agent: undefined, transport: undefined });
});

test.each([2, 0, -1])('extension %s is unknown', async (extensionId) => {
  const telephony = replica.as(newAccount(stage));
  const unknown = { kind: ErrorKind.NOT_FOUND, code: 'MODEL_NOT_FOUND' };
  expect(await refusal(telephony.getRegistration({ extensionId }))).toMatchObject(unknown);
  expect(await refusal(telephony.endRegistration({ extensionId }))).toMatchObject(unknown);
});
