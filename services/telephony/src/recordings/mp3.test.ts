import { Readable } from 'node:stream';
import { encodeMp3 } from './mp3';

test('audio that is no WAV is not held on to', async () => {
  // As from a socket: more may follow.
  const wave = new Readable({ read: () => undefined });
  wave.push(Buffer.alloc(70_000));
  await expect(encodeMp3(wave).toArray()).rejects.toThrow('no WAV');
  expect(wave.destroyed).toBe(true);
});
