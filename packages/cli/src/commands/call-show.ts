import type { Call, CallMoney, Sabia, TimelineEntry } from '@sabia/client';
import type { Command } from 'commander';
import { accountFor } from '../context';
import type { Context } from '../context';
import { Failure, exitCodes } from '../failure';
import { list } from '../output/table';
import { optionsOf } from './command';
import type { AddCommands } from './command';

export const addCallShow: AddCommands = (parent, context) => {
  const { m, terminal } = context;
  parent
    .command('show')
    .description(m.callShow)
    .argument('[id]', m.callIdOrNewest)
    .action(async (given: string | undefined, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      const { calls } = accountFor(context, options).sabia;
      const id = given ?? (await newest(context, calls));
      const [call, timeline, money] = await Promise.all([calls.get(id), calls.timeline(id), calls.money(id)]);
      if (options.json) return terminal.json({ call, timeline, money });
      for (const line of [...details(context, call, money), '', ...steps(context, timeline)]) terminal.line(line);
    });
};

async function newest({ m }: Context, calls: Sabia['calls']): Promise<string> {
  const [call] = await calls.list({ filter: { limit: 1 } }).take(1);
  if (call === undefined) throw new Failure(m.noCalls, exitCodes.notFound);
  return call.id;
}

function details({ m, format }: Context, call: Call, { rate }: CallMoney): string[] {
  const price = `${format.money(call.call_price)}${rate ? ` (${m.perMinute(format.money(rate.minute_price))})` : ''}`;
  return list([
    [m.columnId, call.id],
    [m.columnFrom, call.from],
    [m.columnTo, call.to],
    [m.columnStatus, call.status],
    [m.columnStarted, format.dateTime(call.started_at)],
    [m.answeredAt, format.dateTime(call.answered_at)],
    [m.endedAt, format.dateTime(call.ended_at)],
    [m.columnDuration, format.duration(call.duration)],
    [m.columnCause, call.hangup_cause ?? undefined],
    [m.columnPrice, price],
    [m.recording, call.record_url ?? undefined],
    [m.metadata, Object.keys(call.metadata).length > 0 ? JSON.stringify(call.metadata) : undefined],
  ]);
}

function steps({ m, format, terminal }: Context, timeline: readonly TimelineEntry[]): string[] {
  const width = Math.max(0, ...timeline.map(({ kind }) => kind.length));
  const lines = timeline.map(
    ({ at, kind, message }) => `${terminal.soft(format.time(at))}  ${kind.padEnd(width)}  ${message}`,
  );
  return [terminal.bold(m.timeline), ...lines];
}
