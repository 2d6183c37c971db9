import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Command } from 'commander';
import { accountFor, clientFor, profileName, urlFor, withScheme } from '../context';
import type { Context, GlobalOptions } from '../context';
import { Failure, exitCodes } from '../failure';
import { printList } from '../output/print';
import { ask, askSecretly } from '../prompt';
import { optionsOf } from './command';
import type { AddCommands } from './command';

interface LoginOptions extends GlobalOptions {
  email?: string;
  token?: string;
  demo?: boolean;
}

interface Entry {
  url: string;
  token: string;
}

export const addLogin: AddCommands = (parent, context) => {
  const { m, terminal, profiles } = context;

  parent
    .command('login')
    .description(m.login)
    .option('--email <address>', m.loginEmail)
    .option('--token <token>', m.loginToken)
    .option('--demo', m.loginDemo)
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf<LoginOptions>(command);
      const { url, token } = options.demo ? demoOf(context) : await enter(context, options);
      const sabia = clientFor(context, url, token);
      const [user, account] = await Promise.all([sabia.users.me(), sabia.account.get()]);
      const name = profileName(context, options);
      profiles.save(name, { url, token, email: user.email, domain: account.domain });
      if (options.json) terminal.json({ profile: name, url, email: user.email, domain: account.domain });
      else terminal.line(m.loggedIn(user.email, account.domain, name));
    });

  parent
    .command('logout')
    .description(m.logout)
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf(command);
      const { sabia, profile } = accountFor(context, options);
      if (profile === undefined) throw new Failure(m.tokenOfEnvironment, exitCodes.usage);
      // A token that has ended already is no reason to keep it.
      await sabia.users.logOut().catch((error: { status?: number }) => {
        if (error.status !== 401) throw error;
      });
      profiles.remove(profile);
      if (options.json) terminal.json({ profile });
      else terminal.line(m.loggedOut(profile));
    });

  parent
    .command('whoami')
    .description(m.whoami)
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf(command);
      const { sabia, url, profile } = accountFor(context, options);
      const [user, account] = await Promise.all([sabia.users.me(), sabia.account.get()]);
      const { email, role } = user;
      if (options.json) return terminal.json({ url, profile, email, role, domain: account.domain });
      const pairs = [
        [m.user, `${user.name} <${email}>, ${role}`],
        [m.account, `${account.name} (${account.domain})`],
        [m.address, url],
        [m.profile, profile],
      ] as const;
      printList(terminal, pairs);
    });
};

/** Asks for what is missing, and makes a token that only this profile has. */
async function enter(context: Context, options: LoginOptions): Promise<Entry> {
  const { m, config } = context;
  const url = urlFor(context, options);
  if (options.token !== undefined) return { url, token: options.token };
  const email = options.email ?? (await ask(`${m.email}: `, m.notATerminal('--email')));
  const password = config.password ?? (await askSecretly(`${m.password}: `, m.notATerminal('SABIA_PASSWORD')));
  const { id } = await clientFor(context, url).users.logIn({ email, password });
  const session = clientFor(context, url, id);
  const { id: token } = await session.tokens.create({ ttl: -1, name: `sabia @ ${hostname()}`.slice(0, 64) });
  await session.users.logOut();
  return { url, token };
}

/** The demo account of the stack that runs in this folder. */
function demoOf({ config, m }: Context): Entry {
  try {
    const { gatewayUrl, demo } = JSON.parse(readFileSync(config.stackFile, 'utf8')) as {
      gatewayUrl: string;
      demo: { token: string };
    };
    return { url: withScheme(gatewayUrl), token: demo.token };
  } catch {
    throw new Failure(m.noStack(config.stackFile), exitCodes.usage, m.startAdvice);
  }
}
