import type { Command } from 'commander';
import type { Context } from '../../context';
import { Failure, exitCodes } from '../../failure';
import type { AccountCredit, AccountLimits, OperatedAccount } from '../../operator/types';
import { printList } from '../../output/print';
import { limitOrDefault, wholeNumber } from '../arguments';
import type { GivenLimit } from '../arguments';
import { optionsOf } from '../command';
import type { AddCommands } from '../command';
import { result, rowsIn } from './result';

export const addOperatorAccounts: AddCommands = (parent, context) => {
  const { m, terminal, format } = context;
  const accounts = parent
    .command('accounts')
    .description(m.operator.accounts)
    .option('-s, --search <text>', m.operator.accountsSearch)
    .option('-n, --limit <count>', m.limit, wholeNumber(context), 20)
    .action(async (_options: unknown, command: Command) => {
      const { search, limit } = optionsOf<{ search?: string; limit: number }>(command);
      const columns = [
        { title: m.columnId, value: ({ id }: OperatedAccount) => String(id), align: 'right' as const },
        { title: m.columnName, value: ({ name }: OperatedAccount) => name, flexible: true },
        { title: m.domain, value: ({ domain }: OperatedAccount) => domain, flexible: true },
        { title: m.email, value: ({ email }: OperatedAccount) => email, flexible: true },
        { title: m.columnSince, value: ({ createdAt }: OperatedAccount) => format.dateTime(createdAt) },
        { title: m.columnStatus, value: (each: OperatedAccount) => stateOf(context, each) },
      ];
      await result({ context, command }, (api) => api.accounts.list({ search, limit }), rowsIn(context, columns));
    });

  accounts
    .command('show')
    .description(m.operator.accountShow)
    .argument('<account>', m.operator.accountNumber, wholeNumber(context))
    .action(async (id: number, _options: unknown, command: Command) => {
      await result(
        { context, command },
        async (api) => {
          const [account, credit] = await Promise.all([api.accounts.get(id), api.credit.get(id)]);
          return { ...account, credit };
        },
        (found) => show(context, found),
      );
    });

  accounts
    .command('suspend')
    .description(m.operator.suspend)
    .argument('<account>', m.operator.accountNumber, wholeNumber(context))
    .requiredOption('--reason <text>', m.operator.suspendReason)
    .action(async (id: number, _options: unknown, command: Command) => {
      const { reason } = optionsOf<{ reason: string }>(command);
      await result({ context, command }, (api) => api.accounts.suspend(id, reason), told);
    });

  accounts
    .command('resume')
    .description(m.operator.resume)
    .argument('<account>', m.operator.accountNumber, wholeNumber(context))
    .action(async (id: number, _options: unknown, command: Command) => {
      await result({ context, command }, (api) => api.accounts.resume(id), told);
    });

  accounts
    .command('limit')
    .description(m.operator.limit)
    .argument('<account>', m.operator.accountNumber, wholeNumber(context))
    .option('--live-calls <count>', m.operator.limitLiveCalls, limitOrDefault(context))
    .option('--extensions <count>', m.operator.limitExtensions, limitOrDefault(context))
    .option('--users <count>', m.operator.limitUsers, limitOrDefault(context))
    .option('--recording-retention-days <days>', m.operator.limitRecordings, limitOrDefault(context))
    .action(async (id: number, options: Partial<Record<keyof AccountLimits, GivenLimit>>, command: Command) => {
      const given = Object.entries(options).map(([name, limit]) => [name, limit === 'default' ? null : limit]);
      const changed = Object.fromEntries(given) as Partial<AccountLimits>;
      if (given.length === 0) throw new Failure(m.operator.limitNothing, exitCodes.usage);
      await result(
        { context, command },
        async (api) => api.accounts.limit(id, { ...(await api.accounts.get(id)).limits, ...changed }),
        (account) => printList(terminal, limitsOf(context, account)),
      );
    });

  const told = (account: OperatedAccount): void =>
    terminal.line(`${account.id} ${account.name} (${account.domain}): ${stateOf(context, account)}`);
};

function stateOf({ m }: Context, { suspendedAt, activatedAt }: OperatedAccount): string {
  if (suspendedAt !== null) return m.operator.suspended;
  return activatedAt === null ? m.operator.unconfirmed : m.operator.active;
}

const limitsOf = ({ m }: Context, { limits }: OperatedAccount) =>
  (
    [
      [m.operator.liveCallsLimit, limits.liveCalls],
      [m.operator.extensionsLimit, limits.extensions],
      [m.operator.usersLimit, limits.users],
      [m.operator.recordingsLimit, limits.recordingRetentionDays],
    ] as const
  ).map(([name, limit]) => [name, limit === null ? m.operator.platformLimit : String(limit)] as const);

function show(context: Context, account: OperatedAccount & { credit: AccountCredit }): void {
  const { m, terminal, format } = context;
  const { credit } = account;
  printList(terminal, [
    [m.columnId, String(account.id)],
    [m.columnName, account.name],
    [m.domain, account.domain],
    [m.email, account.email],
    [m.operator.phone, account.phone],
    [m.operator.users, String(account.users)],
    [m.columnSince, format.dateTime(account.createdAt)],
    [m.columnStatus, stateOf(context, account)],
    [m.operator.reason, account.suspensionReason ?? undefined],
    [m.available, format.money(credit.available)],
    [m.reserved, format.money(credit.reserved)],
    [m.balanceWord, format.money(credit.balance)],
    [m.operator.deck, credit.rateDeck],
    ...limitsOf(context, account),
  ]);
}
