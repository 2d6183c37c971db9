import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConsoleFiles } from './console-files';
import type { ConsoleFiles } from './console-files';
import { consoleResponse } from './console-pages';

let folder: string;
let files: ConsoleFiles;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sabia-console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  for (const [suffix, content] of [
    ['', 'script'],
    ['.br', 'brotli'],
    ['.gz', 'gzip'],
  ]) {
    writeFileSync(join(folder, `assets/index-abc.js${suffix}`), content!);
  }
  files = readConsoleFiles(folder)!;
});

afterAll(() => rmSync(folder, { recursive: true }));

const bodyOf = (path: string, accepted?: string) => consoleResponse(files, path, accepted)?.body?.toString();

test('every address of the console is its page, which is asked for anew each time', () => {
  for (const path of ['/console', '/console/', '/console/calls/123?x=1']) {
    expect(bodyOf(path)).toBe('<!doctype html>');
  }
  expect(consoleResponse(files, '/console', undefined)?.headers).toMatchObject({ 'cache-control': 'no-cache' });
});

test('hashed files are kept forever, in the smallest form that the client accepts', () => {
  const script = '/console/assets/index-abc.js';
  expect(bodyOf(script, 'gzip, deflate, br')).toBe('brotli');
  expect(bodyOf(script, 'gzip')).toBe('gzip');
  expect(bodyOf(script, 'br;q=0, gzip')).toBe('gzip');
  expect(bodyOf(script)).toBe('script');
  expect(consoleResponse(files, script, 'br')?.headers).toEqual({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'br',
    vary: 'Accept-Encoding',
  });
});

test('a file that does not exist, and a path that leads out of the folder, are unknown', () => {
  expect(consoleResponse(files, '/console/assets/old-123.js', 'br')).toBeUndefined();
  expect(bodyOf('/console/../package.json')).toBe('<!doctype html>');
  expect(bodyOf('/console/%2e%2e/package.json')).toBe('<!doctype html>');
});

test('without a build there is no console', () => {
  expect(readConsoleFiles(join(folder, 'nowhere'))).toBeUndefined();
});
