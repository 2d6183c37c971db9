import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { closeToOthers } from '../src/recordings/disk-privacy';
import { createDiskStore } from '../src/recordings/disk-store';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'recordings-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (file: string): Promise<string> => ((await stat(file)).mode & 0o7777).toString(8);

test.each([0o000, 0o022, 0o077])('under umask %i a recording is for its owner and group alone', async (umask) => {
  const before = process.umask(umask);
  try {
    const root = path.join(folder, 'recordings');
    const store = createDiskStore(root);
    const callId = randomUUID();
    await store.put(callId, { content: Readable.from(['audio']), contentType: 'audio/wav' });
    const file = store.locationOf(callId);
    expect(await readFile(file, 'utf8')).toBe('audio');
    expect([await modeOf(root), await modeOf(path.dirname(file)), await modeOf(file)]).toEqual(['750', '750', '640']);
  } finally {
    process.umask(before);
  }
});

test('replicas that store the same recording at the same time do not write into the same file', async () => {
  const callId = randomUUID();
  const stores = [createDiskStore(folder), createDiskStore(folder)];
  const texts = ['a'.repeat(100_000), 'b'.repeat(200_000)];
  const content = (text: string) => Readable.from(text.match(/.{1,1000}/g)!);
  const stored = await Promise.all(
    stores.map((store, at) => store.put(callId, { content: content(texts[at]!), contentType: 'audio/wav' })),
  );
  expect(stored).toEqual([{ size: 100_000 }, { size: 200_000 }]);
  const file = stores[0]!.locationOf(callId);
  expect(texts).toContain(await readFile(file, 'utf8'));
  expect(await readdir(path.dirname(file))).toEqual([path.basename(file)]);
});

test('files that an earlier release left readable by all are restricted at the start', async () => {
  const old = path.join(folder, 'ab', 'old.wav');
  await mkdir(path.dirname(old));
  await writeFile(old, 'audio');
  await chmod(old, 0o644);
  await chmod(path.dirname(old), 0o755);
  await chmod(folder, 0o755);
  await closeToOthers(folder);
  expect([await modeOf(folder), await modeOf(path.dirname(old)), await modeOf(old)]).toEqual(['750', '750', '640']);
});

test('a file that vanishes in between does not keep its folder open', async () => {
  for (const name of ['aa', 'bb']) {
    await mkdir(path.join(folder, name));
    await chmod(path.join(folder, name), 0o755);
    // Listed, and not there.
    await symlink(path.join(folder, 'nowhere'), path.join(folder, name, 'call.wav.part'));
  }
  await closeToOthers(folder);
  expect([await modeOf(path.join(folder, 'aa')), await modeOf(path.join(folder, 'bb'))]).toEqual(['750', '750']);
});

test('the group mode that the kubelet has set on a volume stays, or it would walk the volume at every start', async () => {
  await chmod(folder, 0o2775);
  await closeToOthers(folder);
  expect(await modeOf(folder)).toBe('2770');
});

test('a missing folder is not an error', async () => {
  await closeToOthers(path.join(folder, 'later'));
});
