import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';

// A process of its own takes its time on a busy machine.
interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** The command as an operator gives it, in a process of its own. */
describe('rates:import', () => {
  let database: TestDatabase;
  let folder: string;

  beforeAll(async () => {
    database = await createTestDatabase('billing');
    folder = await mkdtemp(path.join(tmpdir(), 'sabia-rates-'));
    await writeFile(
      path.join(folder, 'good.csv'),
      'prefix;minute_price;description\n5511;0,05;São Paulo\n55119;0,1;\n',
    );
    await writeFile(path.join(folder, 'bad.csv'), 'prefix,minute_price\n5511,0.05\n0,x\n');
    const lines = Array.from({ length: 12_000 }, (_, n) => `${1_000_000 + n},0.1\n`);
    await writeFile(path.join(folder, 'large.csv'), `prefix,minute_price\n${lines.join('')}`);
  });

  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const run = (...args: string[]): Promise<Outcome> =>
    new Promise((resolve) => {
      const program = path.join(__dirname, '../dist/rates-import.js');
      const env = { PATH: '/usr/bin:/bin', DATABASE_URL: database.url };
      execFile(process.execPath, [program, ...args], { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
      );
    });

  test('a dry run says what would change, and changes nothing', async () => {
    for (let times = 0; times < 2; times++) {
      expect(await run('good.csv', '--dry-run')).toEqual({
        code: 0,
        stdout: [
          'deck "default": dry run, nothing was imported',
          '         2  lines',
          '         2  new prefixes',
          '         0  changed',
          '         0  unchanged',
          '         0  left as they are, not in the file',
          '         0  problems',
          'Run it again without --dry-run to import.',
          '',
        ].join('\n'),
        stderr: '2 lines read, 100 %\n',
      });
    }
  });

  test('an import reports what it did; the same file again does nothing', async () => {
    expect(await run('good.csv', '--deck', 'gold', '--account', '42')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/deck "gold": imported\n +2 {2}lines\n +2 {2}new prefixes\n/),
    });
    expect((await run('good.csv', '--deck', 'gold')).stdout).toMatch(/ 2 {2}unchanged\n/);
  });

  test('a large file tells how far it is', async () => {
    expect(await run('large.csv', '--dry-run')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^5000 lines read, 4\d %\n10000 lines read, 8\d %\n12000 lines read, 100 %\n$/),
    });
  });

  test('a file with mistakes is refused, each named by its line', async () => {
    const { code, stdout } = await run('bad.csv');
    expect(code).toBe(1);
    expect(stdout).toMatch(/refused, nothing was imported/);
    expect(stdout).toMatch(/line 3: prefix must be 1 to 15 digits, the first of them not 0\n/);
  });

  test.each([
    ['no such file', ['nowhere.csv'], /^There is no file .*nowhere\.csv that can be read\.\n/],
    ['a folder', ['.'], /is no file\.\n/],
    ['two files', ['good.csv', 'bad.csv'], /^One file at a time\.\n/],
    ['an account that is none', ['good.csv', '--account', 'x'], /^--account takes the number of an account\.\n/],
    ['an unknown option', ['--deep'], /^Unknown option '--deep'/],
  ])('%s: what is wrong, and how it is done', async (_name, args, reason) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toMatch(reason);
    expect(stderr).toContain('Usage: npm run rates:import');
  });

  test('--help explains it', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('--dry-run'), stderr: '' });
  });
});
