import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { searchPath } from './config';
import { minimal, overlay, render, root, valueSets, withPods } from './render';
import type { Values } from './render';

const containersOf = (values: Values) =>
  withPods(render(values)).flatMap(({ spec }) => [
    ...(spec.template.spec.initContainers ?? []),
    ...spec.template.spec.containers,
  ]);

describe.each(Object.keys(valueSets))('with the values %s', (set) => {
  const values = valueSets[set] ?? {};

  it('the name of every image is whole: a host, and a version that stays the same', () => {
    for (const { image } of containersOf(values)) {
      expect(image).toMatch(
        /^(localhost|[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?)\/[^:@]+(:\w*\d+\.\d+\.?\d*[\w.-]*|@sha256:[0-9a-f]{64})$/,
      );
    }
  });

  it('the kubelet pulls as image.pullPolicy says, whatever the image', () => {
    const containers = containersOf(overlay(values, { image: { pullPolicy: 'Never' } }));
    expect(containers.map(({ image, imagePullPolicy }) => [image, imagePullPolicy])).toEqual(
      containers.map(({ image }) => [image, 'Never']),
    );
  });
});

/** A fake buildah that records its arguments. */
describe('npm run images', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'chart-images-'));
    writeFileSync(join(folder, 'buildah'), `#!/bin/sh\necho "$BUILDAH_LAYERS $*" >> ${folder}/told\n`);
    chmodSync(join(folder, 'buildah'), 0o755);
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('builds what the chart asks for, under the same names, and uses layers again', () => {
    const { status, stderr } = spawnSync(process.execPath, ['deploy/docker/build.mjs', '--tool', 'buildah'], {
      cwd: root,
      env: { PATH: `${folder}:${searchPath()}` },
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    const builds = readFileSync(join(folder, 'told'), 'utf8')
      .split('\n')
      .filter((line) => line.includes(' build '));
    expect(builds.every((line) => line.startsWith('true '))).toBe(true);
    const built = builds.map((line) => /--tag (\S+)/.exec(line)?.[1]);
    expect(new Set(containersOf(minimal()).map(({ image }) => image))).toEqual(new Set(built));
  });
});
