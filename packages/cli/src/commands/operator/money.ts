import type { Charge, StatementEntry } from '@sabia/client';
import type { Command } from 'commander';
import { printList } from '../../output/print';
import { money, wholeNumber } from '../arguments';
import { optionsOf } from '../command';
import type { AddCommands } from '../command';
import { result, rowsIn } from './result';

interface GrantOptions {
  description: string;
  idempotencyKey?: string;
}

/** Credit and charges of an account. */
export const addOperatorMoney: AddCommands = (parent, context) => {
  const { m, terminal, format } = context;
  const limitOf = (command: Command): number => optionsOf<{ limit: number }>(command).limit;

  const credit = parent.command('credit').description(m.operator.credit);

  credit
    .command('show')
    .description(m.operator.creditShow)
    .argument('<account>', m.operator.accountNumber, wholeNumber(context))
    .action(async (id: number, _options: unknown, command: Command) => {
      await result(
        { context, command },
        (api) => api.credit.get(id),
        (found) =>
          printList(terminal, [
            [m.available, format.money(found.available)],
            [m.reserved, format.money(found.reserved)],
            [m.balanceWord, format.money(found.balance)],
            [m.operator.deck, found.rateDeck],
          ]),
      );
    });

  credit
    .command('grant')
    .description(m.operator.grant)
    .argument('<account>', m.operator.accountNumber, wholeNumber(context))
    .argument('<amount>', m.chargeAmount, money(context))
    .requiredOption('--description <text>', m.operator.grantDescription)
    .option('--idempotency-key <key>', m.operator.grantKey)
    .action(async (id: number, amount: number, _options: unknown, command: Command) => {
      const { description, idempotencyKey } = optionsOf<GrantOptions>(command);
      await result(
        { context, command },
        (api) => api.credit.grant(id, { amount, description }, idempotencyKey),
        ({ balance }) => terminal.line(m.operator.granted(format.money(amount), format.money(balance))),
      );
    });

  credit
    .command('statement')
    .description(m.operator.statement)
    .argument('<account>', m.operator.accountNumber, wholeNumber(context))
    .option('-n, --limit <count>', m.limit, wholeNumber(context), 20)
    .action(async (id: number, _options: unknown, command: Command) => {
      const columns = [
        { title: m.operator.at, value: ({ at }: StatementEntry) => format.dateTime(at) },
        { title: m.operator.kind, value: ({ kind }: StatementEntry) => kind },
        { title: m.operator.description, value: (each: StatementEntry) => each.description, flexible: true },
        { title: m.amount, value: ({ amount }: StatementEntry) => format.money(amount), align: 'right' as const },
        {
          title: m.balanceWord,
          value: ({ balance }: StatementEntry) => format.money(balance),
          align: 'right' as const,
        },
      ];
      const limit = limitOf(command);
      await result({ context, command }, (api) => api.credit.statement(id, limit), rowsIn(context, columns));
    });

  const charges = parent.command('charges').description(m.operator.charges);

  charges
    .command('list')
    .description(m.operator.chargesList)
    .argument('<account>', m.operator.accountNumber, wholeNumber(context))
    .option('-n, --limit <count>', m.limit, wholeNumber(context), 20)
    .action(async (id: number, _options: unknown, command: Command) => {
      const columns = [
        { title: m.columnId, value: (each: Charge) => String(each.id), align: 'right' as const },
        { title: m.operator.at, value: ({ createdAt }: Charge) => format.dateTime(createdAt) },
        { title: m.amount, value: ({ amount }: Charge) => format.money(amount), align: 'right' as const },
        { title: m.operator.method, value: ({ paymentMethod }: Charge) => paymentMethod },
        { title: m.columnStatus, value: ({ status }: Charge) => status },
        { title: m.operator.description, value: ({ description }: Charge) => description, flexible: true },
      ];
      const limit = limitOf(command);
      await result({ context, command }, (api) => api.charges.list(id, limit), rowsIn(context, columns));
    });

  charges
    .command('refund')
    .description(m.operator.refund)
    .argument('<account>', m.operator.accountNumber, wholeNumber(context))
    .argument('<charge>', m.operator.chargeNumber, wholeNumber(context))
    .action(async (id: number, charge: number, _options: unknown, command: Command) => {
      await result(
        { context, command },
        (api) => api.charges.refund(id, charge),
        ({ amount, status }) => terminal.line(`${charge}: ${format.money(amount)}, ${status}`),
      );
    });
};
