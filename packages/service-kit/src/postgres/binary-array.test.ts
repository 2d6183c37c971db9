import { bigintArray, textArray, timeArray, uuidArray } from './binary-array';

const header = (oid: string, count: string) => `00000001` + `00000001` + oid + count + `00000001`;

test('texts are written with their length in bytes, nothing with a length of -1', () => {
  expect(textArray(['ção', null, '']).toString('hex')).toBe(
    `${header('00000019', '00000003')}00000005c3a7c3a36f` + `ffffffff` + `00000000`,
  );
});

test('an array without elements has no dimension', () => {
  expect(textArray([]).toString('hex')).toBe('000000000000000000000019');
  expect(uuidArray([]).toString('hex')).toBe('000000000000000000000b86');
});

test('uuids are sixteen bytes each, whatever case they are written in', () => {
  const uuid = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
  expect(uuidArray([uuid, uuid.toUpperCase()]).toString('hex')).toBe(
    header('00000b86', '00000002') + `00000010${uuid.replaceAll('-', '')}`.repeat(2),
  );
});

test.each(['', '0190a1b2', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5g', 'not a uuid, but as long as one is...'])(
  '%j is no uuid',
  (text) => expect(() => uuidArray([text])).toThrow('not a uuid'),
);

test('numbers take eight bytes, also negative ones and those beyond 32 bits', () => {
  expect(bigintArray([-1, 2 ** 40, null]).toString('hex')).toBe(
    `${header('00000014', '00000003')}00000008ffffffffffffffff` + `000000080000010000000000` + `ffffffff`,
  );
});

test('times are microseconds since 2000', () => {
  expect(timeArray([new Date('2000-01-01T00:00:01.500Z'), new Date('1999-12-31T23:59:59.999Z')]).toString('hex')).toBe(
    `${header('000004a0', '00000002')}00000008000000000016e360` + `00000008fffffffffffffc18`,
  );
});
