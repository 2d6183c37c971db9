import type { Command } from 'commander';
import type { Switch, Trunk } from '../../operator/types';
import type { AddCommands } from '../command';
import { result, rowsIn } from './result';

/** Carriers and switches. */
export const addOperatorTelephony: AddCommands = (parent, context) => {
  const { m, terminal } = context;
  const right = 'right' as const;

  parent
    .command('trunks')
    .description(m.operator.trunks)
    .action(async (_options: unknown, command: Command) => {
      const columns = [
        { title: m.columnName, value: ({ name }: Trunk) => name },
        { title: m.operator.priority, value: ({ priority }: Trunk) => String(priority), align: right },
        { title: m.operator.calls, value: ({ maximumCalls }: Trunk) => String(maximumCalls ?? '–'), align: right },
        {
          title: m.operator.perSecond,
          value: ({ callsPerSecond }: Trunk) => String(callsPerSecond ?? '–'),
          align: right,
        },
        {
          title: m.columnStatus,
          value: ({ states }: Trunk) => states.map((each) => `${each.switch}: ${each.state}`).join(', ') || '–',
        },
        { title: m.operator.server, value: ({ server }: Trunk) => server ?? '–', flexible: true },
        {
          title: m.operator.prefixes,
          value: ({ routes }: Trunk) => routes.map(({ prefix }) => prefix || '*').join(',') || '–',
          flexible: true,
        },
      ];
      await result({ context, command }, (api) => api.trunks(), rowsIn(context, columns));
    });

  const switches = parent
    .command('switches')
    .description(m.operator.switches)
    .action(async (_options: unknown, command: Command) => {
      const columns = [
        { title: m.columnName, value: ({ name }: Switch) => name },
        { title: m.columnStatus, value: ({ state }: Switch) => state },
        { title: m.operator.calls, value: ({ liveCalls }: Switch) => String(liveCalls), align: right },
        { title: m.operator.capacity, value: ({ capacity }: Switch) => String(capacity), align: right },
        { title: 'SIP', value: ({ sipAddress }: Switch) => sipAddress || '–', flexible: true },
        { title: m.operator.seen, value: ({ seenAt }: Switch) => context.format.dateTime(seenAt) },
      ];
      await result({ context, command }, (api) => api.switches.list(), rowsIn(context, columns));
    });

  for (const [word, state] of [
    ['drain', 'draining'],
    ['activate', 'active'],
  ] as const) {
    switches
      .command(word)
      .description(m.operator[word])
      .argument('<switch>', m.operator.switchName)
      .action(async (name: string, _options: unknown, command: Command) => {
        await result(
          { context, command },
          (api) => api.switches.set(name, state),
          (found) => terminal.line(m.operator.switchState(found.name, found.state, found.liveCalls)),
        );
      });
  }
};
