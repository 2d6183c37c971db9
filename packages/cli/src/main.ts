import { SabiaError } from '@sabia/client';
import { CommanderError } from 'commander';
import { readConfig } from './config';
import type { Context } from './context';
import { Failure, exitCodes } from './failure';
import type { ExitCode } from './failure';
import { messagesOf } from './messages';
import { createFormat } from './output/format';
import { createTerminal } from './output/terminal';
import { openProfiles } from './profiles';
import { createProgram } from './program';
import { refusalInWords, usageInWords } from './words';

/** The process: reads its environment, runs one command, ends with its code. */
export async function main(args = process.argv.slice(2)): Promise<void> {
  const config = readConfig(process.env, args, process.stdout.isTTY);
  const interruption = new AbortController();
  process.on('SIGINT', () =>
    interruption.signal.aborted ? process.exit(exitCodes.interrupted) : interruption.abort(),
  );
  process.on('SIGTERM', () => interruption.abort());
  // `sabia calls | head` ends early, which is no fault.
  process.stdout.on('error', () => process.exit(exitCodes.done));
  const context: Context = {
    config,
    terminal: createTerminal(process.stdout, process.stderr, config.colours),
    format: createFormat(config.language),
    m: messagesOf(config.language),
    profiles: openProfiles(config.folder),
    interrupted: interruption.signal,
  };
  try {
    await createProgram(context).parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = tell(context, error);
  }
}

/** Says what went wrong, in the user's language; the result is the exit code. */
function tell({ terminal, m }: Context, error: unknown): ExitCode {
  const say = (message: string, advice?: string): void => {
    terminal.note(`${terminal.bad('✗')} ${message}`);
    if (advice) terminal.note(`  → ${advice}`);
  };
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.done;
    if (error.code !== 'commander.help') say(usageInWords(m, error));
    return exitCodes.usage;
  }
  if (error instanceof Failure) {
    say(error.message, error.advice);
    return error.exitCode;
  }
  if (error instanceof SabiaError) {
    const { message, advice, exitCode } = refusalInWords(m, error);
    say(message, advice);
    return exitCode;
  }
  throw error;
}
