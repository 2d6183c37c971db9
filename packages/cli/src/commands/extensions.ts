import type { Extension } from '@sabia/client';
import type { Command } from 'commander';
import { accountFor } from '../context';
import { printList, printTable } from '../output/print';
import { optionsOf } from './command';
import type { AddCommands } from './command';

interface CreateOptions {
  ramal?: string;
  record?: boolean;
}

export const addExtensions: AddCommands = (parent, context) => {
  const { m, terminal, format } = context;
  const extensions = parent
    .command('extensions')
    .description(m.extensions)
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf(command);
      const found = await accountFor(context, options).sabia.extensions.list();
      if (options.json) return terminal.json(found.map(({ senha: _senha, ...each }) => each));
      if (found.length === 0) return terminal.note(`${m.noExtension} ${m.extensionAdvice}`);
      const columns = [
        { title: m.columnExtension, value: (each: Extension) => each.ramal },
        { title: m.columnName, value: (each: Extension) => each.name, flexible: true },
        { title: m.columnRegistered, value: (each: Extension) => (each.registered ? m.yes : m.no) },
        { title: m.columnSince, value: (each: Extension) => format.dateTime(each.registered_at) },
        { title: 'BINA', value: (each: Extension) => each.bina ?? '–' },
        { title: m.columnRecorded, value: (each: Extension) => (each.gravar_audio === 1 ? m.yes : m.no) },
      ];
      printTable(terminal, found, columns);
    });

  extensions
    .command('create')
    .description(m.extensionCreate)
    .option('--record', m.extensionRecord)
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf<CreateOptions>(command);
      const { sabia } = accountFor(context, options);
      const created = await sabia.extensions.createNext(options.record ? { gravar_audio: 1 } : {});
      if (options.json) return terminal.json(created);
      const pairs = [
        [m.columnExtension, created.ramal],
        [m.password, created.senha ?? undefined],
        [m.domain, created.domain],
      ] as const;
      printList(terminal, pairs);
    });
};
