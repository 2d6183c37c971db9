import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../../..');

it('docs/architecture.md walks POST /calls through at most 60 files, all of which exist', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [, section = ''] = page.split('## POST /calls, file by file');
  const [walk = ''] = section.split('\n## ');
  const files = [...walk.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file]) => file!);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(new Set(files).size).toBe(files.length);
  expect(files.length).toBeGreaterThan(40);
  expect(files.length).toBeLessThanOrEqual(60);
});
