// Checks the images of Asterisk and Kamailio as far as possible without Debian: the files that each copies exist, and its start fills in
// every template from the environment and then becomes the program.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readInstructions } from './dockerfile.mjs';
import { listContext } from './dockerignore.mjs';
import { root } from './images.mjs';

export function checkAsterisk(work) {
  const home = checkImage('asterisk', work, { variable: 'ASTERISK', made: ['etc/pjsip.conf', 'spool/recording'] });
  if (existsSync(join(home, 'etc/pjsip_test_carrier.conf')))
    throw new Error('the test carrier is there without having been asked for');
}

export function checkKamailio(work) {
  checkImage('kamailio', work, { variable: 'EDGE', made: ['etc/kamailio.cfg', 'run'] });
}

/** The folder that the image writes to, with what its start made there. */
function checkImage(program, work, { variable, made }) {
  const dockerfile = `deploy/docker/${program}.Dockerfile`;
  const instructions = readInstructions(join(root, dockerfile));
  const files = listContext(root);
  const bin = join(work, 'bin');
  const templates = join(work, 'templates');
  mkdirSync(bin, { recursive: true });
  for (const { rest } of instructions.filter(({ keyword }) => keyword === 'COPY')) {
    for (const source of rest.split(/\s+/).slice(0, -1)) {
      if (!files.some((path) => path === source || path.startsWith(`${source}/`)))
        throw new Error(`${dockerfile} copies ${source}, which is not in the context`);
      if (source.endsWith('.sh')) cpSync(join(root, source), join(bin, source.split('/').at(-1)));
      else cpSync(join(root, source), templates, { recursive: true });
    }
  }
  writeFileSync(join(bin, program), '#!/bin/sh\necho "$@" > "$HOME/called"\n');
  chmodSync(join(bin, program), 0o755);

  const preset = instructions.filter(({ keyword }) => keyword === 'ENV').flatMap(({ rest }) => rest.split(/\s+/));
  const home = join(work, 'home');
  const environment = {
    ...Object.fromEntries(namesIn(templates).map((name) => [name, '1'])),
    ...Object.fromEntries(preset.map((pair) => pair.split('='))),
    ...{ PATH: `${bin}:${process.env.PATH}`, HOME: home },
    ...{ [`${variable}_HOME`]: home, [`${program.toUpperCase()}_TEMPLATES`]: templates },
  };
  mkdirSync(home);
  execFileSync(join(bin, `start-${program}.sh`), { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
  for (const name of ['called', ...made])
    if (!existsSync(join(home, name))) throw new Error(`start-${program}.sh made no ${name}`);
  return home;
}

/** The variables of the templates, except those of the embedded test carrier. */
function namesIn(templates) {
  const texts = readdirSync(templates).map((name) => readFileSync(join(templates, name), 'utf8'));
  const names = texts.flatMap((text) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name));
  return [...new Set(names)].filter((name) => !name.startsWith('TEST_CARRIER'));
}
