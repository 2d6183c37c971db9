import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Context } from '../../context';
import { Failure, exitCodes } from '../../failure';
import type { DeckImport, DeckRate, ImportReport, RateDeck, RateDifference } from '../../operator/types';
import { wholeNumber } from '../arguments';
import { optionsOf } from '../command';
import type { AddCommands } from '../command';
import { result, rowsIn } from './result';

interface ImportOptions {
  dryRun?: boolean;
  replace?: boolean;
}

export const addOperatorRates: AddCommands = (parent, context) => {
  const { m, terminal, format } = context;
  const right = 'right' as const;
  const rates = parent
    .command('rates')
    .description(m.operator.rates)
    .action(async (_options: unknown, command: Command) => {
      const columns = [
        { title: m.operator.deck, value: ({ name }: RateDeck) => name },
        { title: m.operator.prefixes, value: ({ prefixes }: RateDeck) => String(prefixes), align: right },
        { title: m.operator.accountsWord, value: (each: RateDeck) => String(each.accounts), align: right },
        { title: m.operator.updated, value: ({ updatedAt }: RateDeck) => format.dateTime(updatedAt) },
      ];
      await result({ context, command }, (api) => api.rates.decks(), rowsIn(context, columns));
    });

  rates
    .command('show')
    .description(m.operator.ratesShow)
    .argument('<deck>', m.operator.deckName)
    .option('--prefix <digits>', m.operator.ratesPrefix)
    .option('-n, --limit <count>', m.limit, wholeNumber(context), 200)
    .action(async (deck: string, _options: unknown, command: Command) => {
      const options = optionsOf<{ prefix?: string; limit: number }>(command);
      const columns = [
        { title: m.prefix, value: ({ prefix }: DeckRate) => prefix },
        { title: m.columnPrice, value: (each: DeckRate) => format.money(each.minutePrice), align: right },
        { title: m.operator.from, value: ({ validFrom }: DeckRate) => format.dateTime(validFrom) },
        { title: m.operator.to, value: ({ validTo }: DeckRate) => format.dateTime(validTo) },
        { title: m.operator.description, value: ({ description }: DeckRate) => description, flexible: true },
      ];
      await result({ context, command }, (api) => api.rates.list(deck, options), rowsIn(context, columns));
    });

  rates
    .command('import')
    .description(m.operator.import)
    .argument('<deck>', m.operator.deckName)
    .argument('<file>', m.operator.importFile)
    .option('--dry-run', m.operator.importDryRun)
    .option('--replace', m.operator.importReplace)
    .action(async (deck: string, file: string, _options: unknown, command: Command) => {
      const { dryRun = false, replace = false } = optionsOf<ImportOptions>(command);
      const csv = textIn(context, file);
      const report = await result(
        { context, command },
        (api) => api.rates.import(deck, { csv, dryRun, replace }),
        (found) => showReport(context, found),
      );
      if (report.problemCount > 0) throw new Failure(m.operator.importRefused(report.problemCount));
    });

  rates
    .command('history')
    .description(m.operator.history)
    .argument('<deck>', m.operator.deckName)
    .option('-n, --limit <count>', m.limit, wholeNumber(context), 20)
    .action(async (deck: string, _options: unknown, command: Command) => {
      const { limit } = optionsOf<{ limit: number }>(command);
      const columns = [
        { title: m.operator.at, value: ({ at }: DeckImport) => format.dateTime(at) },
        { title: m.operator.operatorWord, value: ({ operatorName }: DeckImport) => operatorName, flexible: true },
        { title: m.operator.lines, value: ({ lines }: DeckImport) => String(lines), align: right },
        { title: m.operator.added, value: ({ added }: DeckImport) => String(added), align: right },
        { title: m.operator.changed, value: ({ changed }: DeckImport) => String(changed), align: right },
        { title: m.operator.ended, value: ({ ended }: DeckImport) => String(ended), align: right },
        { title: 'SHA-256', value: ({ sha256 }: DeckImport) => sha256, flexible: true },
      ];
      await result({ context, command }, (api) => api.rates.imports(deck, limit), rowsIn(context, columns));
    });

  rates
    .command('assign')
    .description(m.operator.assignDeck)
    .argument('<deck>', m.operator.deckName)
    .argument('<account>', m.operator.accountNumber, wholeNumber(context))
    .action(async (deck: string, account: number, _options: unknown, command: Command) => {
      await result(
        { context, command },
        (api) => api.rates.assign(account, deck),
        (found) => terminal.line(m.operator.deckAssigned(account, found.deck)),
      );
    });
};

function textIn({ m }: Context, file: string): string {
  try {
    return readFileSync(file === '-' ? process.stdin.fd : file, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new Failure(m.operator.unreadable(file, reason), exitCodes.usage);
  }
}

/** What changes, or what is wrong with the file. */
function showReport(context: Context, report: ImportReport): void {
  const { m, terminal, format } = context;
  if (report.problemCount > 0) {
    for (const { line, problem } of report.problems) terminal.note(m.operator.problem(line, problem));
    return;
  }
  const columns = [
    { title: m.prefix, value: ({ prefix }: RateDifference) => prefix },
    { title: m.operator.change, value: ({ change }: RateDifference) => m.operator.changes[change] ?? change },
    {
      title: m.operator.before,
      value: ({ minutePriceBefore }: RateDifference) => format.money(minutePriceBefore),
      align: 'right' as const,
    },
    {
      title: m.operator.after,
      value: ({ minutePriceAfter }: RateDifference) => format.money(minutePriceAfter),
      align: 'right' as const,
    },
    { title: m.operator.from, value: ({ validFrom }: RateDifference) => format.dateTime(validFrom) },
  ];
  if (report.differences.length > 0) rowsIn(context, columns)(report.differences);
  terminal.line(m.operator.importCounts(report));
  terminal.line(report.applied ? m.operator.imported(report.deck) : m.operator.notImported);
}
