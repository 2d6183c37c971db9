import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { join } from 'node:path';
import { eventually } from '@sabia/testkit/eventually';
import { takeAudioPorts } from '../src/asterisk/audio-ports';
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

test('nodes have no port for audio in common, and leave theirs to others when they have stopped', async () => {
  const [first, second] = [await takeAudioPorts(), await takeAudioPorts()];
  expect([first.start % 2, second.start % 2]).toEqual([0, 0]);
  expect(second.start > first.end || second.end < first.start).toBe(true);
  first.release();
  // Of those that are free the first are taken; another process may have been quicker.
  const third = await takeAudioPorts();
  expect(third.start > second.end || third.end < second.start).toBe(true);
  second.release();
  await second.takeAgain();
  const fourth = await takeAudioPorts();
  expect(fourth.start > second.end || fourth.end < second.start).toBe(true);
  [second, third, fourth].forEach((ports) => ports.release());
});
