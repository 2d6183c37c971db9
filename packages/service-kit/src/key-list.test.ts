import { ConfigError, readEnvironment } from './config';
import { keyListVariable } from './key-list';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const read = (text: string) => readEnvironment({ KEYS: keyListVariable() }, { KEYS: text }).KEYS;

test('keys by name, in order', () => {
  expect(read(`new:${key(1)}, old.2:${key(2)}`)).toEqual([
    { id: 'new', bytes: Buffer.alloc(32, 1) },
    { id: 'old.2', bytes: Buffer.alloc(32, 2) },
  ]);
});

test.each([
  ['without a name', key(1), 'the id of key 1'],
  ['with a name that cannot be kept', `good:${key(1)},b d:${key(2)}`, 'the id of key 2'],
  ['too short', `short:${key(1).slice(4)}`, 'key "short" is not 32 bytes in base64'],
  ['not in base64', `odd:${key(1).slice(0, -1)}`, 'key "odd" is not 32 bytes in base64'],
  ['named twice', `same:${key(1)},same:${key(2)}`, 'key "same" is there twice'],
])('a key %s is refused, and not repeated', (_how, text, reason) => {
  const refused = () => read(text);
  expect(refused).toThrow(ConfigError);
  expect(refused).toThrow(reason);
  expect(refused).not.toThrow(key(1).slice(4, 20));
});
