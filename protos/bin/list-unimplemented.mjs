#!/usr/bin/env node
// Prints the rpcs of the contract that no service implements yet. An rpc is implemented when its service has a file named
// after it in src/rpc; a unit test of each service holds that these files and the table of handlers agree.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const kebab = (name) => name.replace(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();

function rpcsOf(service) {
  const text = readFileSync(path.join(root, 'protos/sabia', service, 'v1/service.proto'), 'utf8');
  return [...text.matchAll(/^\s*rpc\s+(\w+)\s*\(/gm)].map(([, name]) => name);
}

const services = readdirSync(path.join(root, 'protos/sabia'))
  .filter((name) => existsSync(path.join(root, 'protos/sabia', name, 'v1/service.proto')))
  .sort();

let total = 0;
let missing = 0;
for (const service of services) {
  const rpcs = rpcsOf(service);
  const unimplemented = rpcs.filter(
    (rpc) => !existsSync(path.join(root, 'services', service, 'src/rpc', `${kebab(rpc)}.ts`)),
  );
  total += rpcs.length;
  missing += unimplemented.length;
  if (unimplemented.length > 0) {
    console.log(`${service} (${unimplemented.length} of ${rpcs.length})`);
    for (const rpc of unimplemented) {
      console.log(`  ${rpc}`);
    }
  }
}
console.log(`${missing} of ${total} rpcs are not implemented`);
