// npm run chart:check: every check of the chart that needs no cluster.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart, output, root, valueSets } from './places.mjs';
import { obtainTools, versions } from './tools.mjs';

process.on('uncaughtException', (error) => {
  console.error(`\nthe chart does not hold: ${error.stderr || error.message}${error.stdout ?? ''}`);
  process.exit(1);
});

const step = (text) => console.log(`\n· ${text}`);
const show = (command, args, options) => execFileSync(command, args, { cwd: root, stdio: 'inherit', ...options });
// Helm reports followed links on stderr; failures reach us as an exception.
const run = (command, args) => execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });

step('table of values');
show(process.execPath, ['helm/bin/docs.mjs', '--check']);

const { helm, validator, schemas, customResources, reason } = obtainTools();
if (reason) {
  const line = '#'.repeat(72);
  console.log(
    `\n${line}\n##  THE CHART WAS NOT CHECKED. Nothing below helm/ has been linted,\n##  rendered, validated or tested: ${reason}\n${line}`,
  );
  process.exit(0);
}

step(`helm lint --strict, Helm ${versions.helm}`);
for (const { name, file } of valueSets) {
  run(helm, ['lint', '--strict', chart, '--values', file]);
  console.log(`${name}: ok`);
}

step(`objects against the schemas of Kubernetes ${versions.kubernetes}`);
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
for (const { name, file } of valueSets) {
  const rendered = run(helm, ['template', 'sabia', chart, '--namespace', 'voice', '--values', file]);
  writeFileSync(join(output, `${name}.yaml`), rendered);
}
show(validator, ['--local-schemas', schemas, '--local-crds', customResources, output]);

step('tests');
show(process.execPath, ['node_modules/jest/bin/jest.js', '--config', 'helm/tests/jest.config.mjs'], {
  env: { ...process.env, SABIA_HELM: helm },
});
