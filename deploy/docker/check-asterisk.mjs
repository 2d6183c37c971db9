// Checks the image of Asterisk as far as possible without Debian: the files that it copies exist, and its start fills in every
// template from the environment and then becomes Asterisk.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readInstructions } from './dockerfile.mjs';
import { listContext } from './dockerignore.mjs';
import { root } from './images.mjs';

const DOCKERFILE = 'deploy/docker/asterisk.Dockerfile';

export function checkAsterisk(work) {
  const instructions = readInstructions(join(root, DOCKERFILE));
  const files = listContext(root);
  const bin = join(work, 'bin');
  const templates = join(work, 'templates');
  mkdirSync(bin, { recursive: true });
  for (const { rest } of instructions.filter(({ keyword }) => keyword === 'COPY')) {
    for (const source of rest.split(/\s+/).slice(0, -1)) {
      if (!files.some((path) => path === source || path.startsWith(`${source}/`)))
        throw new Error(`${DOCKERFILE} copies ${source}, which is not in the context`);
      if (source.endsWith('.sh')) cpSync(join(root, source), join(bin, source.split('/').at(-1)));
      else cpSync(join(root, source), templates, { recursive: true });
    }
  }
  writeFileSync(join(bin, 'asterisk'), '#!/bin/sh\necho "$@" > called\n');
  chmodSync(join(bin, 'asterisk'), 0o755);

  const preset = instructions.filter(({ keyword }) => keyword === 'ENV').flatMap(({ rest }) => rest.split(/\s+/));
  const environment = {
    ...Object.fromEntries(namesIn(templates).map((name) => [name, '1'])),
    ...Object.fromEntries(preset.map((pair) => pair.split('='))),
    ...{ PATH: `${bin}:${process.env.PATH}`, ASTERISK_TEMPLATES: templates, ASTERISK_HOME: join(work, 'home') },
  };
  mkdirSync(environment.ASTERISK_HOME);
  execFileSync(join(bin, 'start-asterisk.sh'), { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
  for (const name of ['called', 'etc/asterisk.conf', 'etc/pjsip.conf', 'spool/recording'])
    if (!existsSync(join(environment.ASTERISK_HOME, name))) throw new Error(`start-asterisk.sh made no ${name}`);
  if (existsSync(join(environment.ASTERISK_HOME, 'etc/pjsip_test_carrier.conf')))
    throw new Error('the test carrier is there without having been asked for');
}

/** The variables of the templates, except those of the embedded test carrier. */
function namesIn(templates) {
  const texts = readdirSync(templates).map((name) => readFileSync(join(templates, name), 'utf8'));
  const names = texts.flatMap((text) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name));
  return [...new Set(names)].filter((name) => !name.startsWith('TEST_CARRIER'));
}
