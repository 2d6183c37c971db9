import { request } from 'undici';

/** The values of each label, by the name of the series. */
export type Series = Map<string, Map<string, Set<string>>>;

/** Reads GET /metrics of these processes and merges the series. */
export async function scrape(urls: readonly string[]): Promise<Series> {
  const series: Series = new Map();
  for (const url of urls) {
    const answer = await request(url);
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${text}`);
    readMetrics(text, series);
  }
  return series;
}

/** The Prometheus text format: a series counts only when its metric was declared. */
function readMetrics(text: string, series: Series): void {
  const declared = new Set<string>();
  for (const line of text.split('\n')) {
    const [, metric, type] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
    if (metric !== undefined && type === 'histogram') {
      for (const end of ['bucket', 'count', 'sum']) declared.add(`${metric}_${end}`);
    } else if (metric !== undefined) {
      declared.add(metric);
    }
    const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? \S+/.exec(line) ?? [];
    if (!declared.has(name)) continue;
    const known = series.get(name) ?? new Map<string, Set<string>>();
    series.set(name, known);
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      known.set(label, (known.get(label) ?? new Set()).add(value));
    }
  }
}
