// npm run chart:docs writes the tables of helm/sabia/README.md; with --check it only says whether they are right.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import prettier from 'prettier';
import { isScalar, parseDocument } from 'yaml';
import { chart } from './places.mjs';

const readme = join(chart, 'README.md');

/** Every key of values.yaml whose comment begins with "--". */
function documentedValues() {
  const text = readFileSync(join(chart, 'values.yaml'), 'utf8');
  const document = parseDocument(text);
  const rows = [];
  const path = [];
  let said;
  for (const line of text.split('\n')) {
    said = /^ *# -- (.*)/.exec(line)?.[1] ?? said;
    const [, indent, key] = /^( *)(\w+):/.exec(line) ?? [];
    if (key === undefined) continue;
    path.splice(indent.length / 2, Infinity, key);
    if (said) rows.push([path.join('.'), defaultOf(document.getIn(path, true)), said]);
    said = undefined;
  }
  return rows;
}

function defaultOf(value) {
  const plain = value?.toJSON() ?? null;
  if (plain === null) return '';
  const text = isScalar(value) ? String(plain) : JSON.stringify(plain);
  if (text === '') return '';
  return text.length > 90 ? 'see values.yaml' : `\`${text}\``;
}

/** Which keys a Secret may have, and who reads them. */
function secretKeys() {
  const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'));
  return Object.entries(schema.properties.secrets.properties.values.properties).map(([key, { description }]) => [
    key,
    description ?? '',
  ]);
}

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

const sections = {
  values: table(
    ['value', 'default', ''],
    documentedValues().map(([name, value, said]) => [`\`${name}\``, value, said]),
  ),
  secrets: table(
    ['key', ''],
    secretKeys().map(([key, said]) => [`\`${key}\``, said]),
  ),
};

const before = readFileSync(readme, 'utf8');
const filled = Object.entries(sections).reduce(
  (text, [name, content]) =>
    text.replace(
      new RegExp(`(<!-- ${name}: npm run chart:docs -->)[^]*?(<!-- /${name} -->)`),
      (_, open, close) => `${open}\n\n${content}\n\n${close}`,
    ),
  before,
);
const after = await prettier.format(filled, { ...(await prettier.resolveConfig(readme)), parser: 'markdown' });

if (after === before) {
  console.log('the tables of helm/sabia/README.md are those of values.yaml');
} else if (process.argv.includes('--check')) {
  console.error('helm/sabia/README.md does not say what values.yaml and values.schema.json say: npm run chart:docs');
  process.exitCode = 1;
} else {
  writeFileSync(readme, after);
  console.log('helm/sabia/README.md is written anew');
}
