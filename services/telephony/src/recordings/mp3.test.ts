import { Readable } from 'node:stream';
import { encodeMp3 } from './mp3';

test('audio that is not a WAV file is released', async () => {
  // As from a socket: more may follow.
  const wave = new Readable({ read: () => undefined });
  wave.push(Buffer.alloc(70_000));
  await expect(encodeMp3(wave).toArray()).rejects.toThrow('not a WAV file');
  expect(wave.destroyed).toBe(true);
});
