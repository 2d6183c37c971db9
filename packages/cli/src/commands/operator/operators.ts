import type { Command } from 'commander';
import type { Context } from '../../context';
import type { Operator } from '../../operator/types';
import { printList } from '../../output/print';
import type { AddCommands } from '../command';
import { result, rowsIn } from './result';

export const addOperators: AddCommands = (parent, context) => {
  const { m, terminal, format } = context;
  const operators = parent
    .command('operators')
    .description(m.operator.operators)
    .action(async (_options: unknown, command: Command) => {
      const columns = [
        { title: 'UUID', value: ({ uuid }: Operator) => uuid },
        { title: m.columnName, value: ({ name }: Operator) => name, flexible: true },
        { title: 'Token', value: ({ tokenPrefix }: Operator) => `${tokenPrefix}…` },
        { title: m.columnSince, value: ({ createdAt }: Operator) => format.dateTime(createdAt) },
        { title: m.columnStatus, value: (each: Operator) => stateOf(context, each) },
      ];
      await result({ context, command }, (api) => api.operators.list(), rowsIn(context, columns));
    });

  operators
    .command('add')
    .description(m.operator.addOperator)
    .argument('<name>', m.operator.personName)
    .action(async (name: string, _options: unknown, command: Command) => {
      await result(
        { context, command },
        (api) => api.operators.add(name),
        (added) => {
          printList(terminal, [
            ['UUID', added.uuid],
            [m.columnName, added.name],
            ['Token', added.token],
          ]);
          terminal.note(m.operator.shownOnce);
        },
      );
    });

  operators
    .command('remove')
    .description(m.operator.removeOperator)
    .argument('<uuid>', m.operator.operatorUuid)
    .action(async (uuid: string, _options: unknown, command: Command) => {
      await result(
        { context, command },
        (api) => api.operators.remove(uuid),
        () => terminal.line(m.operator.operatorRemoved(uuid)),
      );
    });
};

function stateOf({ m, format }: Context, { configured, revokedAt }: Operator): string {
  if (revokedAt !== null) return m.operator.revoked(format.dateTime(revokedAt));
  return configured ? m.operator.configured : m.operator.working;
}
