import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@sabia/embedded/project';
import { parse } from 'yaml';
import { startCallingUser, type CallingUser } from '../src/calling-user';
import { eventually } from '../src/eventually';
import { scrape, type Series } from '../src/metrics-text';
import { readProcesses } from '../src/stack-process';
import { testStack } from '../src/test-stack';
import { openWebhookInbox, type WebhookInbox } from '../src/webhook-inbox';
import { integrate } from '../src/webhook-integrations';
import { readExpression, type Selector } from './support/promql';

interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
}

interface Dashboard {
  uid: string;
  title: string;
  panels: { id: number; type: string; title: string; targets?: { refId: string; expr: string }[] }[];
}

const folder = join(projectRoot, 'deploy/observability');
const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const alerts = (parse(read('deploy/observability/alerts.yaml')) as Rules).groups.flatMap(({ rules }) => rules);
const dashboards = readdirSync(join(folder, 'dashboards')).map((file) => ({
  file,
  ...(JSON.parse(read(`deploy/observability/dashboards/${file}`)) as Dashboard),
}));
const expressions = [
  ...alerts.map(({ alert, expr }) => ({ where: alert, expr })),
  ...dashboards.flatMap(({ file, panels }) =>
    panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: `${file}: ${title}`, expr }))),
  ),
];

/** Labels that the scraper adds. */
const ofTheScraper = ['instance', 'job'];
/** Labels whose values are fixed names in our code. */
const ofFixedValues = ['consumer', 'outcome', 'type', 'answered'];

let user: CallingUser;
let inbox: WebhookInbox;

/** A series appears when it has its first value, so one call passes through all services. */
beforeAll(async () => {
  const stack = testStack();
  inbox = await openWebhookInbox();
  user = await startCallingUser(stack);
  await integrate(user.api(), {
    gateway: 'observed',
    url: inbox.urlOf('/observed'),
    settings: { webhookTypes: ['channel-hangup', 'call-priced'] },
  });
  const id = await user.place(stack.testNumbers.answer);
  await user.callWhen(id, ({ status }) => status === 'answered');
  expect((await user.api().post(`/calls/${id}/hangup`)).status).toBe(200);
  await inbox.waitFor('/observed', id, 2);
});

afterAll(async () => {
  await user?.stop();
  await inbox?.close();
});

const processes = () => readProcesses(testStack().home).processes.filter(({ metricsUrl }) => metricsUrl !== undefined);
const scrapeAll = () => scrape(processes().flatMap(({ metricsUrl }) => metricsUrl ?? []));

function whatIsMissing(series: Series, { metric, matchers, groupedBy }: Selector): string[] {
  const labels = series.get(metric);
  if (labels === undefined) return [`there is no ${metric}`];
  const unknown = [...matchers.map(({ label }) => label), ...groupedBy].filter(
    (label) => !labels.has(label) && !ofTheScraper.includes(label),
  );
  const absent = matchers.filter(
    ({ label, operator, value }) =>
      operator === '=' && ofFixedValues.includes(label) && labels.get(label)?.has(value) === false,
  );
  return [
    ...unknown.map((label) => `${metric} has no label ${label}`),
    ...absent.map(({ label, value }) => `${metric} is never told with ${label}="${value}"`),
  ];
}

describe('metrics', () => {
  it('come from every gateway and every service', () => {
    const names = processes().map(({ name }) => name);
    const expected = ['gateway', 'gateway-2', 'identity', 'extensions', 'telephony', 'billing', 'webhook'];
    expect(names.sort()).toEqual(expected.sort());
  });

  it('are there, with their labels, wherever an alert or a dashboard names them', async () => {
    const known = await Promise.all(
      expressions.map(async ({ where, expr }) => ({ where, ...(await readExpression(expr)) })),
    );
    expect(known.flatMap(({ faults }) => faults)).toEqual([]);
    expect(known.filter(({ selectors }) => selectors.length === 0)).toEqual([]);
    // Some series appear a few seconds late.
    await eventually(
      async () => {
        const series = await scrapeAll();
        const missing = known.flatMap(({ where, selectors }) =>
          selectors.flatMap((selector) => whatIsMissing(series, selector).map((what) => `${where}: ${what}`)),
        );
        expect(missing).toEqual([]);
        return true;
      },
      { intervalMs: 1_000 },
    );
  });

  it('count the call, the switch and the queue', async () => {
    const text = await Promise.all(processes().map(async ({ metricsUrl }) => (await fetch(metricsUrl!)).text()));
    const all = text.join('\n');
    const ended = /^sabia_calls_ended_total\{.*call_type="outbound",cause="NORMAL_CLEARING",answered="true".*\} \d+$/m;
    expect(all).toMatch(ended);
    expect(all).toMatch(/^sabia_switch_connected\{.*switch="asterisk".*\} 1$/m);
    expect(all).toMatch(/^sabia_rated_reais_total\{.*\} (?!0$)[\d.]+$/m);
    expect(all).toMatch(/^sabia_webhook_overdue_seconds\{.*\} \d/m);
  });
});

describe('alerts', () => {
  it('have a name of their own and a runbook each', () => {
    const names = alerts.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    const runbooks = [...read('docs/operations.md').matchAll(/^### (Sabia\w+)$/gm)].map(([, name]) => name);
    expect(runbooks.sort()).toEqual([...names].sort());
  });
});

describe('dashboards', () => {
  it('have a name of their own, and something to show in every panel', () => {
    expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
    for (const { file, panels } of dashboards) {
      expect([file, new Set(panels.map(({ id }) => id)).size]).toEqual([file, panels.length]);
      const empty = panels.filter(({ type, targets = [] }) => type !== 'row' && targets.length === 0);
      expect([file, empty.map(({ title }) => title)]).toEqual([file, []]);
    }
  });
});
