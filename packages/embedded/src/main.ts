import { relative } from 'node:path';
import { forgetPostgresVariables, readStackConfig, UsageError } from './config';
import { createRegistry } from './process/registry';
import { projectRoot } from './project';
import { startStack, type Stack } from './stack';
import { summary } from './stack/summary';
import { createTerminal, type Terminal } from './stack/terminal';

/** npm forwards a Ctrl-C that the terminal has already sent to us; only a later one means: stop at once. */
const SAME_SIGNAL_MS = 1_500;

/** `npm start` after the preparations; runs until it is told to stop. */
export async function main(options: { fresh: boolean; startedAt: number }): Promise<void> {
  // The terminal may be closed before we end; the processes must be stopped all the same.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const colours = process.stdout.isTTY === true && process.stdout.hasColors();
  let terminal = createTerminal({ logLevel: 'warn', colours, write: (text) => process.stdout.write(text) });
  try {
    forgetPostgresVariables();
    const config = readStackConfig();
    terminal = createTerminal({ logLevel: config.logLevel, colours, write: (text) => process.stdout.write(text) });
    await runUntilStopped({ ...config, fresh: options.fresh }, options.startedAt, terminal);
  } catch (error) {
    terminal.complain(describe(error));
    process.exitCode = 1;
  }
}

async function runUntilStopped(
  config: ReturnType<typeof readStackConfig> & { fresh: boolean },
  startedAt: number,
  terminal: Terminal,
): Promise<void> {
  const abort = new AbortController();
  let stack: Stack | undefined;
  let askedAt = 0;
  const stopped = new Promise<void>((resolve) => {
    const onSignal = () => {
      if (askedAt > 0) {
        if (Date.now() - askedAt < SAME_SIGNAL_MS) return;
        terminal.complain('leaving at once');
        createRegistry(`${config.home}/run`).signalAll((stopSignal) =>
          stopSignal === 'SIGINT' ? 'SIGQUIT' : 'SIGKILL',
        );
        process.exit(1);
      }
      askedAt = Date.now();
      terminal.print('');
      terminal.progress('stopping');
      abort.abort();
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });

  try {
    stack = await startStack({ ...config, reporter: terminal, signal: abort.signal });
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    terminal.progress('stopped');
    return;
  }
  const home = relative(projectRoot, config.home);
  terminal.print(
    summary(stack.file, {
      ...{ home: home.startsWith('..') ? config.home : home, tookMs: Date.now() - startedAt },
      ...{ callSwitch: stack.callSwitch, terminal },
    }),
  );
  await stopped;
  await stack.stop();
  terminal.progress('stopped');
}

function describe(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `\n${error.cause.message}` : '';
  return `${error.message}${cause}`;
}
