import { Argument } from 'commander';
import { completionScript, shells } from '../completion';
import type { Shell } from '../completion';
import type { AddCommands } from './command';

export const addCompletion: AddCommands = (parent, { m, terminal }) => {
  parent
    .command('completion')
    .description(m.completion)
    .addArgument(new Argument('<shell>', m.completionShell).choices(shells))
    .action((shell: Shell) => terminal.line(completionScript(shell, parent).trimEnd()));
};
