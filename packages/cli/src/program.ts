import { Command, Option } from 'commander';
import { addCall } from './commands/call';
import { addCalls } from './commands/calls';
import { addCompletion } from './commands/completion';
import { addCredit } from './commands/credit';
import { addDoctor } from './commands/doctor';
import { addExtensions } from './commands/extensions';
import { addLogin } from './commands/login';
import { addNumbers } from './commands/numbers';
import { addOperator } from './commands/operator/operator';
import { addWebhooks } from './commands/webhooks';
import type { Context } from './context';
import { languages } from './messages';

/** The whole command line. Nothing is exited from inside: what goes wrong is thrown. */
export function createProgram(context: Context): Command {
  const { m, terminal } = context;
  const program = new Command('sabia')
    .description(m.program)
    .option('-p, --profile <name>', m.optionProfile)
    .option('--url <address>', m.optionUrl)
    .option('--json', m.optionJson)
    .addOption(new Option('--lang <language>', m.optionLanguage).choices(languages));
  for (const add of [
    addLogin,
    addCall,
    addCalls,
    addExtensions,
    addNumbers,
    addCredit,
    addWebhooks,
    addDoctor,
    addOperator,
    addCompletion,
  ]) {
    add(program, context);
  }
  everywhere(program, (command) =>
    command
      .helpOption('-h, --help', m.help)
      .helpCommand(false)
      .exitOverride()
      .configureHelp({ styleTitle: (title) => terminal.bold(m.helpTitles[title] ?? title) })
      .configureOutput({ writeErr: (text) => terminal.note(text.trimEnd()), outputError: () => undefined }),
  );
  return program;
}

function everywhere(command: Command, change: (command: Command) => void): void {
  change(command);
  command.commands.forEach((each) => everywhere(each, change));
}
