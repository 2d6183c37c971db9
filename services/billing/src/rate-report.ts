import type { ImportOptions, ImportReport } from './rate-file';

/** Describes the result of an import, or of a dry run. */
export function describeReport(report: ImportReport, { replace }: Pick<ImportOptions, 'replace'>): string {
  const { applied, dryRun, problemCount, problems } = report;
  const outcome = applied
    ? 'imported'
    : problemCount > 0
      ? 'refused, nothing was imported'
      : 'dry run, nothing was imported';
  const counts: [string, number][] = [
    ['lines', report.lines],
    ['new prefixes', report.added],
    ['changed', report.changed],
    ['unchanged', report.unchanged],
    [replace ? 'ended, not in the file' : 'left as they are, not in the file', report.absent],
    ['problems', problemCount],
  ];
  return [
    `deck "${report.deck}": ${outcome}`,
    ...counts.map(([name, count]) => `  ${String(count).padStart(8)}  ${name}`),
    ...problems.map(({ line, problem }) => `  line ${line}: ${problem}`),
    ...(problemCount > problems.length ? [`  … and ${problemCount - problems.length} more`] : []),
    ...(dryRun && problemCount === 0 ? ['Run it again without --dry-run to import.'] : []),
    '',
  ].join('\n');
}
