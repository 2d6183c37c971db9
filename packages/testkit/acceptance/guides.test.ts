import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startCallingUser } from '../src/calling-user';
import { followGuide, isPresent, languagesOf } from '../src/guides/follow-guide';
import { codeBlocksOf, guideFolder, readGuide } from '../src/guides/guide-blocks';
import { confirmationLink, signUpBody } from '../src/sign-up';
import { testStack } from '../src/test-stack';

const stack = testStack();
const names = readdirSync(join(guideFolder, 'en')).map((file) => file.replace(/\.md$/, ''));
// The quickstart has a test of its own.
const followed = names.filter((name) => name !== 'quickstart');

/** A guide in each of its languages that this machine has, or just once if it is about none. */
const passes = followed.flatMap((name): [name: string, language: string | undefined][] => {
  const languages = languagesOf(readGuide('en', name));
  const absent = languages.filter((language) => !isPresent(language));
  if (absent.length > 0) process.stderr.write(`  ${name} is not followed in ${absent.join(', ')}: not installed\n`);
  return languages.length === 0 ? [[name, undefined]] : languages.filter(isPresent).map((each) => [name, each]);
});

it.each(passes)('every step of the guide "%s" works (programs: %s)', async (name, language) => {
  const user = await startCallingUser(stack, { ramal: '1000' });
  try {
    const waiting = signUpBody();
    await user.api().post('/accounts/signup', waiting);
    const link = new URL(await confirmationLink(stack.mailboxUrl, waiting.email));
    const printed = await followGuide(readGuide('en', name), language, {
      gatewayUrl: stack.gatewayUrl,
      address: user.api().address,
      variables: {
        ...{ TOKEN: user.token, EMAIL: user.email, PASSWORD: user.password },
        CODE: link.searchParams.get('token') ?? '',
      },
    });
    // Receivers print what they have verified.
    if (name === 'webhooks') expect(printed).toMatch(/^msg_\S+ channel-hangup /m);
  } finally {
    await user.stop();
  }
});

it.each(names)('the guide "%s" has the same examples in both languages', (name) => {
  expect(codeBlocksOf(readGuide('pt-BR', name))).toEqual(codeBlocksOf(readGuide('en', name)));
});
