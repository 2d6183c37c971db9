// jest does not transform what global set-up files load. This lets them require() the TypeScript sources of the workspaces, so
// that they neither need a build nor use a stale one.
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join, resolve } = require('node:path');
const { transformSync } = require('@swc/core');

const root = resolve(__dirname, '../../..');
const workspaces = new Map();

function workspaceOf(name) {
  if (!workspaces.has(name)) workspaces.set(name, readWorkspace(name));
  return workspaces.get(name);
}

function readWorkspace(name) {
  const file = require.resolve(`${name}/package.json`, { paths: [root] });
  return { directory: dirname(file), exports: JSON.parse(readFileSync(file, 'utf8')).exports };
}

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const [, name, subpath] = /^(@sabia\/[^/]+)\/(.+)$/.exec(request) ?? [];
  if (!name || subpath === 'package.json') return resolveFilename.call(this, request, ...rest);
  const workspace = workspaceOf(name);
  // As in Node, the most specific pattern wins: './events/*' over './*'.
  const [pattern] = Object.keys(workspace.exports)
    .filter((key) => key.endsWith('/*') && `./${subpath}`.startsWith(key.slice(0, -1)))
    .sort((a, b) => b.length - a.length);
  const source = pattern && workspace.exports[pattern].source;
  if (!source) return resolveFilename.call(this, request, ...rest);
  return join(workspace.directory, source.replace('*', `./${subpath}`.slice(pattern.length - 1)));
};

Module._extensions['.ts'] = function (module, filename) {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
    swcrc: false,
  });
  module._compile(code, filename);
};
