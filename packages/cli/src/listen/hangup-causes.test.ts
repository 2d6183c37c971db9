import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hangupCauses } from './hangup-causes';

it('has every cause of the guide, with its number', () => {
  const guide = readFileSync(join(__dirname, '../../../../docs/guides/en/calls.md'), 'utf8');
  const [, section = ''] = /## Why calls end\n([^]*?)\n## /.exec(guide) ?? [];
  const documented = [...section.matchAll(/^\| `(\w+)`\s*\| (\d+)/gm)].map(([, name, code]) => [name, Number(code)]);
  expect(documented.length).toBeGreaterThan(10);
  expect(hangupCauses).toEqual(Object.fromEntries(documented));
});
