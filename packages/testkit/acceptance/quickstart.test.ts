import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@sabia/embedded/project';
import { phoneOf, type ConsolePhone } from '../src/console/console-phone';
import { closeBrowser, closeConsoles, openConsole } from '../src/console/open-console';
import { topUp } from '../src/credit';
import { eventually } from '../src/eventually';
import { followGuide } from '../src/guides/follow-guide';
import { codeBlocksOf, readGuide, type CodeBlock } from '../src/guides/guide-blocks';
import { signUpUser, type SignedUpUser } from '../src/sign-up';
import { testStack } from '../src/test-stack';

const stack = testStack();
const guide = readGuide('en', 'quickstart');
let user: SignedUpUser;

beforeAll(async () => {
  user = await signUpUser(stack);
  await topUp(user.client, 50);
  await user.client.post('/extensions', { ramal: '1000', email_address: user.email });
});

afterEach(closeConsoles);
afterAll(closeBrowser);

/** What `npm start` would have left in the folder of the clone, with an account that no other test uses. */
function layOut(folder: string): void {
  mkdirSync(join(folder, '.sabia'));
  const { token, email, password } = user;
  const file = { consoleUrl: `${stack.gatewayUrl}/console/`, demo: { token, email, password } };
  writeFileSync(join(folder, '.sabia/stack.json'), JSON.stringify(file));
  symlinkSync(join(projectRoot, 'examples'), join(folder, 'examples'));
}

let phone: ConsolePhone;

/** What a person does between the commands: opens the browser, answers, and waits for what the page promises. */
async function act({ text }: CodeBlock, output: () => string): Promise<void> {
  if (text.includes('consoleUrl')) {
    const { page, goTo } = await openConsole(stack, { as: user });
    await goTo('/');
    phone = phoneOf(page);
    await phone.says('Pronto para ligar');
  }
  const untilHeard = (type: string) =>
    eventually(() => {
      if (!new RegExp(`^msg_\\S+ ${type} `, 'm').test(output())) throw new Error(`no ${type} in\n${output()}`);
      return true;
    });
  if (text.includes('"leadId"')) {
    await phone.press('Ligar');
    await untilHeard('channel-answer');
  }
  if (text.includes('/hangup')) await untilHeard('channel-hangup');
}

test('from nothing to a ringing call to a verified webhook', async () => {
  const printed = await followGuide(guide, undefined, {
    gatewayUrl: stack.gatewayUrl,
    address: user.client.fromAnotherAddress().address,
    variables: {},
    ...{ prepare: layOut, act },
  });
  const { data } = (await user.client.get<{ data: { id: string; hangup_cause: string }[] }>('/calls?page=1')).body;
  expect(data).toMatchObject([{ hangup_cause: 'NORMAL_CLEARING', metadata: { leadId: 4711 } }]);
  expect(printed).toContain(`channel-hangup ${data[0]?.id}`);
});

test('it takes ten commands or fewer', () => {
  const blocks = codeBlocksOf(guide).filter(({ language }) => language === 'sh' || language === 'bash');
  const lines = blocks.flatMap(({ text }) => text.trim().split('\n'));
  const commands = lines.filter((line) => !line.startsWith(' '));
  expect(commands.length).toBeLessThanOrEqual(10);
});
