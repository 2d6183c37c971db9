import type { Command } from 'commander';
import type { Context } from '../../context';
import type { OperatorApi } from '../../operator/operator-api';
import { askOperator } from '../../operator/operator-for';
import type { OperatorOptions } from '../../operator/operator-for';
import { printTable } from '../../output/print';
import type { Column } from '../../output/table';
import { optionsOf } from '../command';

/** Asks, and prints the answer as JSON or as `show` does. */
export async function result<T>(
  { context, command }: { context: Context; command: Command },
  ask: (api: OperatorApi) => Promise<T>,
  show: (found: T) => void,
): Promise<T> {
  const options = optionsOf<OperatorOptions>(command);
  const found = await askOperator(context, options, ask);
  if (options.json) context.terminal.json(found ?? null);
  else show(found);
  return found;
}

/** Shows rows in columns, or says that there are none. */
export const rowsIn =
  <T>({ terminal, m }: Context, columns: readonly Column<T>[]) =>
  (rows: readonly T[]): void => {
    if (rows.length === 0) terminal.note(m.operator.none);
    else printTable(terminal, rows, columns);
  };
