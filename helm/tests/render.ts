import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { helmProgram } from './config';
import type { KubeObject } from './kube-object';

export const root = resolve(__dirname, '../..');
export const chart = join(root, 'helm/sabia');
export const namespace = 'voice';

export type Values = Record<string, unknown>;

function helmTemplate(values: Values) {
  const args = ['template', 'sabia', chart, '--namespace', namespace, '--values', '-'];
  return spawnSync(helmProgram(), args, { input: stringify(values), encoding: 'utf8' });
}

const rendered = new Map<string, KubeObject[]>();

export function render(values: Values): KubeObject[] {
  const key = stringify(values);
  const objects = rendered.get(key) ?? renderAnew(values);
  rendered.set(key, objects);
  return objects;
}

function renderAnew(values: Values): KubeObject[] {
  const { status, stdout, stderr } = helmTemplate(values);
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as KubeObject | null)
    .filter((object) => object !== null);
}

/** Helm's error message for these values. */
export function refusal(values: Values): string {
  const { status, stderr } = helmTemplate(values);
  return status === 0 ? '' : stderr;
}

const folders = ['helm/sabia/values', 'helm/tests/values'];

/** The values files with which the chart must work, by name. */
export const valueSets: Record<string, Values> = Object.fromEntries(
  folders.flatMap((folder) =>
    readdirSync(join(root, folder)).map((file) => [
      basename(file, '.yaml'),
      parse(readFileSync(join(root, folder, file), 'utf8')) as Values,
    ]),
  ),
);

/** b over a, as Helm does it with one file over another. */
export function overlay(a: Values, b: Values): Values {
  const isMap = (value: unknown): value is Values =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const merged = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const below = merged[key];
    merged[key] = isMap(below) && isMap(value) ? overlay(below, value) : value;
  }
  return merged;
}

export const minimal = (values: Values = {}): Values => overlay(valueSets.minimal ?? {}, values);

export const ofKind = (objects: KubeObject[], kind: string): KubeObject[] =>
  objects.filter((object) => object.kind === kind);

export function find(objects: KubeObject[], kind: string, component: string): KubeObject {
  const found = ofKind(objects, kind).find(({ metadata }) => metadata.name.endsWith(`-${component}`));
  if (!found) throw new Error(`there is no ${kind} ${component}`);
  return found;
}

export const podKinds = ['Deployment', 'StatefulSet', 'Job'];

export const withPods = (objects: KubeObject[]): KubeObject[] => objects.filter(({ kind }) => podKinds.includes(kind));

export const isHook = ({ metadata }: KubeObject): boolean => metadata.annotations?.['helm.sh/hook'] !== undefined;

export const hookWeight = ({ metadata }: KubeObject): number =>
  Number(metadata.annotations?.['helm.sh/hook-weight'] ?? Number.NaN);
