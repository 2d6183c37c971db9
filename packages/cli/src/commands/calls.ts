import type { Call } from '@sabia/client';
import type { Command } from 'commander';
import { accountFor } from '../context';
import type { Context } from '../context';
import { printTable } from '../output/print';
import { wholeNumber } from './arguments';
import { optionsOf } from './command';
import type { AddCommands } from './command';

interface CallsOptions {
  since?: string;
  until?: string;
  extension?: string;
  status?: string;
  limit: number;
  live?: boolean;
}

export const addCalls: AddCommands = (parent, context) => {
  const { m, terminal } = context;
  parent
    .command('calls')
    .description(m.calls)
    .option('--since <day>', m.since)
    .option('--until <day>', m.until)
    .option('-e, --extension <ramal>', m.ofExtension)
    .option('--status <status>', m.withStatus)
    .option('--live', m.callsLive)
    .option('-n, --limit <count>', m.limit, wholeNumber(context), 20)
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf<CallsOptions>(command);
      const { calls } = accountFor(context, options).sabia;
      const { since: startDate, until: endDate, extension, status, limit } = options;
      const where = { ...(extension && { extension }), ...(status && { status }) };
      const list = calls.list({ startDate, endDate, filter: { where, limit: Math.min(limit, 200) } });
      const found = options.live ? await calls.live() : await list.take(limit);
      if (options.json) return terminal.json(found);
      if (found.length === 0) return terminal.note(m.noCalls);
      show(context, found);
    });
};

function show({ terminal, format, m }: Context, calls: readonly Call[]): void {
  const columns = [
    { title: m.columnStarted, value: (call: Call) => format.dateTime(call.started_at) },
    { title: m.columnFrom, value: (call: Call) => call.from },
    { title: m.columnTo, value: (call: Call) => call.to },
    { title: m.columnStatus, value: (call: Call) => call.hangup_cause ?? call.status, flexible: true },
    { title: m.columnDuration, value: (call: Call) => format.duration(call.duration), align: 'right' as const },
    { title: m.columnPrice, value: (call: Call) => format.money(call.call_price), align: 'right' as const },
    { title: m.columnId, value: (call: Call) => call.id },
  ];
  printTable(terminal, calls, columns);
}
