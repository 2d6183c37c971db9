import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markFile } from '@sabia/service-kit/brand/mark';
import { palette } from '@sabia/service-kit/brand/palette';

const css = readFileSync(join(__dirname, 'brand.css'), 'utf8');
const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

test.each(['light', 'dark'] as const)('the console has the colours of the brand: %s', (theme) => {
  const block = new RegExp(`\\[data-theme='${theme}'\\] \\{([^}]*)\\}`).exec(css)?.[1];
  for (const [name, value] of Object.entries(palette[theme])) {
    expect(block).toContain(`--${kebab(name)}: ${value};`);
  }
});

test('the console has the mark of the brand', () => {
  expect(readFileSync(join(__dirname, '../../public/favicon.svg'), 'utf8').trim()).toBe(markFile);
});
