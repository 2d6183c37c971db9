import { preferredLanguage } from './language';

test.each([
  [undefined, 'pt-BR'],
  ['', 'pt-BR'],
  ['*', 'pt-BR'],
  ['de-DE, fr;q=0.8', 'pt-BR'],
  ['en', 'en'],
  ['en-GB,en;q=0.9', 'en'],
  ['pt-PT,pt;q=0.9,en;q=0.8', 'pt-BR'],
  ['en;q=0.3, pt;q=0.7', 'pt-BR'],
  ['de, en;q=0.4', 'en'],
  ['pt;q=0, en;q=0.1', 'en'],
  ['en;q=0', 'pt-BR'],
  ['en;q=many, EN-us;q=.5', 'en'],
  [`${'x,'.repeat(100_000)}en`, 'pt-BR'],
])('%p prefers %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});
