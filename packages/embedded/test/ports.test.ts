import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { join } from 'node:path';
import { eventually } from '@sabia/testkit/eventually';
import { takePort } from '../src/process/ports';

const PORTS = 600;
const scriptFor = (count: number): string => `
  const { freePort } = require(${JSON.stringify(join(__dirname, '..', 'dist', 'process', 'ports.js'))});
  (async () => {
    const ports = [];
    while (ports.length < ${count}) ports.push(await freePort());
    console.log(ports.join(' '));
    process.stdin.resume();
  })();
`;

/** Takes ports in a process of its own, which ends when its input does. */
function takePorts(count: number): { ports: Promise<number[]>; end(): void } {
  const run = promisify(execFile)(process.execPath, ['-e', scriptFor(count)]);
  const ports = new Promise<number[]>((resolve, reject) => {
    run.child.stdout!.once('data', (text: string) => resolve(text.trim().split(' ').map(Number)));
    run.catch(reject);
  });
  return { ports, end: () => run.child.stdin!.end() };
}

test('processes that look for free ports at once never find the same one', async () => {
  const takers = [takePorts(PORTS), takePorts(PORTS)];
  const found = await Promise.all(takers.map(({ ports }) => ports));
  takers.forEach(({ end }) => end());
  expect(new Set(found.flat()).size).toBe(2 * PORTS);
});

test('a port of a former start is not taken while it is given to another process', async () => {
  const taker = takePorts(1);
  const [port] = await taker.ports;
  expect(await takePort(port!)).toBe(false);
  taker.end();
  await eventually(() => takePort(port!));
  // Its own ports a process may have again.
  expect(await takePort(port!)).toBe(true);
});
