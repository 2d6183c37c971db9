import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { languages } from '@sabia/service-kit/brand/language';
import { errorCatalogue } from '../openapi/error-catalogue';
import { guideNames, openGuides } from './guides';

const root = resolve(__dirname, '../../..');
const folder = join(root, 'docs/guides');
const guides = openGuides(folder, 'https://voice.example')!;

test.each(languages)('every guide is there in %s, and none is left out of the list', (language) => {
  const files = readdirSync(join(folder, language)).map((file) => file.replace(/\.md$/, ''));
  expect(files.sort()).toEqual([...guideNames].sort());
});

test.each(languages)('links between guides lead somewhere in %s', (language) => {
  const idsOf = (name: (typeof guideNames)[number]) =>
    [...guides.read(name, language).html.matchAll(/<h\d id="([^"]*)"/g)].map(([, id]) => id);
  for (const name of guideNames) {
    const links = [...guides.read(name, language).html.matchAll(/href="([\w-]*)(?:#([^"]*))?"/g)];
    for (const [, page = '', section] of links) {
      const target = page === '' ? name : page;
      expect(guideNames).toContain(target);
      if (section !== undefined)
        expect([name, idsOf(target as typeof name)]).toEqual([
          name,
          expect.arrayContaining([decodeURIComponent(section)]) as unknown,
        ]);
    }
  }
});

test.each(languages)('the guide to errors has every code, in %s', (language) => {
  const page = readFileSync(join(folder, language, 'errors.md'), 'utf8');
  const codes = Object.entries(errorCatalogue).map(([name, { code = name }]) => code);
  expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});
