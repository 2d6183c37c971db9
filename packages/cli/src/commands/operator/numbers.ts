import { Option } from 'commander';
import type { Command } from 'commander';
import { numberTitles } from '../../operator/types';
import type { NumberClaim, NumberTitle, OwnedNumber } from '../../operator/types';
import { wholeNumber } from '../arguments';
import { optionsOf } from '../command';
import type { AddCommands } from '../command';
import { result, rowsIn } from './result';

export const addOperatorNumbers: AddCommands = (parent, context) => {
  const { m, terminal, format } = context;
  const numbers = parent
    .command('numbers')
    .description(m.operator.numbers)
    .option('--account <account>', m.operator.ofAccount, wholeNumber(context))
    .option('-n, --limit <count>', m.limit, wholeNumber(context), 50)
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf<{ account?: number; limit: number }>(command);
      const columns = [
        { title: m.operator.number, value: ({ number }: OwnedNumber) => number },
        { title: m.account, value: ({ accountId }: OwnedNumber) => String(accountId), align: 'right' as const },
        { title: m.operator.title, value: ({ title }: OwnedNumber) => title },
        { title: m.columnSince, value: ({ since }: OwnedNumber) => format.dateTime(since) },
        { title: m.operator.operatorWord, value: ({ operatorName }: OwnedNumber) => operatorName, flexible: true },
        { title: m.operator.note, value: ({ note }: OwnedNumber) => note, flexible: true },
      ];
      await result({ context, command }, (api) => api.numbers.list(options), rowsIn(context, columns));
    });

  numbers
    .command('assign')
    .description(m.operator.assignNumber)
    .argument('<number>', m.operator.numberDigits)
    .argument('<account>', m.operator.accountNumber, wholeNumber(context))
    .addOption(new Option('--title <title>', m.operator.numberTitle).choices(numberTitles).default('ASSIGNED'))
    .option('--note <text>', m.operator.numberNote)
    .action(async (number: string, accountId: number, _options: unknown, command: Command) => {
      const { title, note } = optionsOf<{ title: NumberTitle; note?: string }>(command);
      await result(
        { context, command },
        (api) => api.numbers.assign(number, { accountId, title, note }),
        (owned) => terminal.line(m.operator.numberAssigned(owned.number, owned.accountId)),
      );
    });

  numbers
    .command('release')
    .description(m.operator.releaseNumber)
    .argument('<number>', m.operator.numberDigits)
    .action(async (number: string, _options: unknown, command: Command) => {
      await result(
        { context, command },
        (api) => api.numbers.release(number),
        () => terminal.line(m.operator.numberReleased(number)),
      );
    });

  numbers
    .command('claims')
    .description(m.operator.claims)
    .option('-n, --limit <count>', m.limit, wholeNumber(context), 50)
    .action(async (_options: unknown, command: Command) => {
      const { limit } = optionsOf<{ limit: number }>(command);
      const columns = [
        { title: m.operator.number, value: ({ number }: NumberClaim) => number },
        { title: m.columnSince, value: ({ since }: NumberClaim) => format.dateTime(since) },
        { title: m.operator.accountsWord, value: ({ accountIds }: NumberClaim) => accountIds.join(', ') },
      ];
      await result({ context, command }, (api) => api.numbers.claims(limit), rowsIn(context, columns));
    });
};
