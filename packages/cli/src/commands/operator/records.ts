import type { Command } from 'commander';
import type { DeadLetter, OperatorAct } from '../../operator/types';
import { wholeNumber } from '../arguments';
import { optionsOf } from '../command';
import type { AddCommands } from '../command';
import { result, rowsIn } from './result';

interface AuditOptions {
  account?: number;
  act?: string;
  changes?: boolean;
  limit: number;
}

/** What consumers have given up, and what operators have done. */
export const addOperatorRecords: AddCommands = (parent, context) => {
  const { m, terminal, format } = context;
  const right = 'right' as const;
  const deadLetters = parent
    .command('dead-letters')
    .description(m.operator.deadLetters)
    .option('--consumer <name>', m.operator.ofConsumer)
    .option('--after <sequence>', m.operator.afterSequence, wholeNumber(context))
    .option('-n, --limit <count>', m.limit, wholeNumber(context), 20)
    .action(async (_options: unknown, command: Command) => {
      const { consumer, after, limit } = optionsOf<{ consumer?: string; after?: number; limit: number }>(command);
      const columns = [
        { title: m.operator.sequence, value: ({ sequence }: DeadLetter) => String(sequence), align: right },
        { title: m.operator.at, value: ({ deadAt }: DeadLetter) => format.dateTime(deadAt) },
        { title: m.operator.consumer, value: (each: DeadLetter) => each.consumer },
        { title: m.operator.event, value: ({ eventType }: DeadLetter) => eventType ?? '–' },
        { title: m.account, value: ({ accountId }: DeadLetter) => String(accountId ?? '–'), align: right },
        { title: m.operator.tries, value: ({ tries }: DeadLetter) => String(tries), align: right },
        { title: m.operator.reason, value: ({ reason }: DeadLetter) => reason, flexible: true },
      ];
      await result(
        { context, command },
        (api) => api.deadLetters.list({ consumer, after, limit }),
        ({ data, next }) => {
          rowsIn(context, columns)(data);
          if (next !== null) terminal.note(m.operator.moreAfter(next));
        },
      );
    });

  deadLetters
    .command('replay')
    .description(m.operator.replay)
    .argument('<sequence>', m.operator.sequenceNumber, wholeNumber(context))
    .action(async (sequence: number, _options: unknown, command: Command) => {
      await result(
        { context, command },
        (api) => api.deadLetters.replay(sequence),
        () => terminal.line(m.operator.replayed(sequence)),
      );
    });

  parent
    .command('audit')
    .description(m.operator.audit)
    .option('--account <account>', m.operator.ofAccount, wholeNumber(context))
    .option('--act <name>', m.operator.ofAct)
    .option('--changes', m.operator.onlyChanges)
    .option('-n, --limit <count>', m.limit, wholeNumber(context), 20)
    .action(async (_options: unknown, command: Command) => {
      const { account: accountId, act, changes, limit } = optionsOf<AuditOptions>(command);
      const where = { accountId, act, ...(changes && { method: { neq: 'GET' } }) };
      const columns = [
        { title: m.operator.at, value: ({ at }: OperatorAct) => format.dateTime(at) },
        { title: m.operator.operatorWord, value: ({ operatorName }: OperatorAct) => operatorName, flexible: true },
        { title: m.operator.act, value: (each: OperatorAct) => each.act },
        { title: m.account, value: (each: OperatorAct) => String(each.accountId ?? '–'), align: right },
        {
          title: m.operator.outcome,
          value: ({ status, errorCode }: OperatorAct) => [status ?? '–', errorCode ?? ''].join(' ').trim(),
        },
        { title: 'IP', value: ({ clientIp }: OperatorAct) => clientIp },
        { title: m.operator.request, value: ({ method, path }: OperatorAct) => `${method} ${path}`, flexible: true },
      ];
      await result({ context, command }, (api) => api.audit(limit, where), rowsIn(context, columns));
    });
};
