import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asteriskValues } from '../src/asterisk/asterisk-values';
import { templateFolder } from '../src/asterisk/recipe';
import { renderConfiguration, type ConfigurationValues } from '../src/programs/render';
import { projectRoot } from '../src/project';

const script = join(projectRoot, 'deploy/asterisk/render.sh');
let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sabia-render-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const values: ConfigurationValues = asteriskValues({
  name: 'asterisk',
  folder: '/srv/asterisk',
  postgresUrl: 'postgres://sabia_asterisk:p%26w%5Cd@db.example:5433/sabia',
  audio: { start: 10_000, end: 11_499 },
  addresses: {
    sipHost: '0.0.0.0',
    sipPort: 5060,
    httpPort: 8088,
    testCarrierPort: 5062,
    capturePort: 9060,
  },
  secrets: { get: (name) => `secret-of-${name}` },
});
const environment = (from: ConfigurationValues) =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, String(value)]));

test('the image and the embedded stack get the same configuration from the same values', () => {
  const [mine, theirs] = [join(folder, 'mine'), join(folder, 'theirs')];
  renderConfiguration(templateFolder, mine, values);
  execFileSync('sh', [script, templateFolder, theirs], { env: { ...environment(values), PATH: '/usr/bin:/bin' } });
  expect(readdirSync(theirs)).toEqual(readdirSync(mine));
  for (const name of readdirSync(mine)) {
    expect([name, readFileSync(join(theirs, name), 'utf8')]).toEqual([name, readFileSync(join(mine, name), 'utf8')]);
  }
  expect(readFileSync(join(mine, 'res_pgsql.conf'), 'utf8')).toContain('dbpass=p&w\\d\n');
});

test('the script names a missing value', () => {
  const { HTTP_PORT: _absent, ...rest } = environment(values);
  const { status, stderr } = spawnSync('sh', [script, templateFolder, join(folder, 'x')], {
    env: { ...rest, PATH: '/usr/bin:/bin' },
    encoding: 'utf8',
  });
  expect(status).not.toBe(0);
  expect(stderr).toContain('{{HTTP_PORT}}');
});
