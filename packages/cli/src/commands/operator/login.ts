import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { profileName } from '../../context';
import type { Context } from '../../context';
import { Failure, exitCodes } from '../../failure';
import { askAt, operatorAddress } from '../../operator/operator-for';
import type { OperatorOptions } from '../../operator/operator-for';
import type { OperatorLogin } from '../../profiles';
import { ask, askSecretly } from '../../prompt';
import { optionsOf } from '../command';
import type { AddCommands } from '../command';

interface LoginOptions {
  demo?: boolean;
}

export const addOperatorLogin: AddCommands = (parent, context) => {
  const { m, terminal, profiles } = context;

  parent
    .command('login')
    .description(m.operator.login)
    .option('--demo', m.operator.loginDemo)
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf<LoginOptions & OperatorOptions>(command);
      const login = options.demo ? demoOf(context) : await enter(context, options);
      // Any request tells whether the token works.
      await askAt(context, login, (api) => api.operators.list());
      const name = profileName(context, options);
      profiles.saveOperator(name, login);
      if (options.json) terminal.json({ profile: name, url: login.url });
      else terminal.line(m.operator.loggedIn(login.url, name));
    });

  parent
    .command('logout')
    .description(m.operator.logout)
    .action((_options: unknown, command: Command) => {
      const options = optionsOf<OperatorOptions>(command);
      const name = profileName(context, options);
      profiles.removeOperator(name);
      if (options.json) terminal.json({ profile: name });
      else terminal.line(m.loggedOut(name));
    });
};

/** Asks for what is neither an option nor in the environment. */
async function enter(context: Context, options: OperatorOptions): Promise<OperatorLogin> {
  const { m, config } = context;
  const url = options.operatorUrl ?? config.operatorUrl;
  const token = options.operatorToken ?? config.operatorToken;
  return {
    url: operatorAddress(context, url ?? (await ask(`${m.address}: `, m.notATerminal('--operator-url')))),
    token: token ?? (await askSecretly('Token: ', m.notATerminal('SABIA_OPERATOR_TOKEN'))),
  };
}

/** The operator whose token the stack in this folder keeps. */
function demoOf({ config, m }: Context): OperatorLogin {
  try {
    const { operator } = JSON.parse(readFileSync(config.stackFile, 'utf8')) as {
      operator: { url: string; tokenFile: string };
    };
    return { url: operator.url, token: readFileSync(operator.tokenFile, 'utf8').trim() };
  } catch {
    throw new Failure(m.noStack(config.stackFile), exitCodes.usage, m.startAdvice);
  }
}
