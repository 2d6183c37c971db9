import type { IncomingMessage } from 'node:http';
import { wantsPage } from './reader';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
const form = 'application/x-www-form-urlencoded';

const wants = (method: string, headers: Record<string, string>): boolean =>
  wantsPage({ method, request: { headers } as unknown as IncomingMessage });

test.each([
  [browser, true],
  ['text/html', true],
  ['text/html;q=0.5', true],
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/json', false],
  ['application/json, text/plain, */*', false],
  ['text/html;q=0.5, application/json', false],
  ['text/html;q=0, */*', false],
  ['text/html;q=nonsense', false],
  ['audio/*', false],
])('Accept: %p', (accept, page) => {
  expect(wants('GET', accept === undefined ? {} : { accept })).toBe(page);
});

test('a form of a browser is answered by a page, other changes are not', () => {
  expect(wants('HEAD', { accept: browser })).toBe(true);
  expect(wants('POST', { accept: browser, 'content-type': form })).toBe(true);
  expect(wants('POST', { accept: browser, 'content-type': 'application/json' })).toBe(false);
  expect(wants('DELETE', { accept: browser })).toBe(false);
});

test('a program with a token gets JSON, although the default of its library asks for HTML', () => {
  const java = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2';
  expect(wants('GET', { accept: java, authorization: 'x' })).toBe(false);
  expect(wants('GET', { accept: java, 'x-access-token': 'x' })).toBe(false);
});
