import { setTimeout as delay } from 'node:timers/promises';
import type { AccountNumber, NumberProof, Sabia } from '@sabia/client';
import type { Command } from 'commander';
import { accountFor } from '../context';
import type { Context } from '../context';
import { Failure, exitCodes } from '../failure';
import { printTable } from '../output/print';
import { optionsOf } from './command';
import type { AddCommands } from './command';

const LOOK_MS = 2_000;

export const addNumbers: AddCommands = (parent, context) => {
  const { m, terminal, format } = context;
  const numbers = parent
    .command('numbers')
    .description(m.numbers)
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf(command);
      const found = await accountFor(context, options).sabia.numbers.list();
      if (options.json) return terminal.json(found);
      if (found.length === 0) return terminal.note(`${m.noNumbers} ${m.numbersAdvice}`);
      const columns = [
        { title: m.columnNumber, value: ({ number }: AccountNumber) => number },
        { title: m.columnTitle, value: ({ title }: AccountNumber) => m.numberTitles[title] ?? title },
        { title: m.columnSince, value: ({ since }: AccountNumber) => format.dateTime(since) },
        {
          title: m.columnExtensions,
          value: ({ extensions }: AccountNumber) => String(extensions),
          align: 'right' as const,
        },
      ];
      printTable(terminal, found, columns);
    });

  numbers
    .command('prove')
    .description(m.prove)
    .argument('<number>', m.proveNumber)
    .action(async (number: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      const { sabia } = accountFor(context, options);
      const started = await sabia.numbers.prove(number);
      if (options.json) terminal.json(started);
      else terminal.line(m.keyIn(started.number, terminal.bold(started.code ?? '')));
      const ended = await untilDecided(context, sabia, started);
      if (options.json) terminal.json(ended);
      if (ended.status === 'PROVEN') {
        if (!options.json) terminal.line(terminal.good(m.numberProven(ended.number)));
        return;
      }
      const why = m.proofFailures[ended.failure ?? ''] ?? ended.failure ?? '';
      throw new Failure(m.notProven(ended.number, why), exitCodes.notAnswered);
    });
};

/** Ctrl-C hangs up, and the proof fails. */
async function untilDecided({ interrupted }: Context, sabia: Sabia, started: NumberProof): Promise<NumberProof> {
  const { id } = started;
  interrupted.addEventListener('abort', () => void sabia.calls.hangUp(id).catch(() => undefined), { once: true });
  let proof = started;
  while (proof.status === 'CALLING') {
    await delay(LOOK_MS);
    proof = await sabia.numbers.proof(id);
  }
  return proof;
}
