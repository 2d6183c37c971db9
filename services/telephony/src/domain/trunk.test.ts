import { formatNumber, mayTryNext, readTrunks } from './trunk';
import type { Trunk } from './trunk';

const trunk = (format: Trunk['format'], prefix?: string): Trunk => ({ name: 'carrier', format, prefix });

test.each([
  [trunk('e164'), '5511988887777'],
  [trunk('+e164'), '+5511988887777'],
  [trunk('national'), '11988887777'],
  [trunk('0national'), '011988887777'],
  [trunk('e164', '9#'), '9#5511988887777'],
])('%j', (given, expected) => {
  expect(formatNumber(given, '5511988887777')).toBe(expected);
});

test.each([
  [{ cause: 34, sipStatus: 503 }, true],
  [{ cause: 0, sipStatus: 408 }, true],
  [{ cause: 102 }, true],
  [{ cause: 17, sipStatus: 486 }, false],
  [{ cause: 1, sipStatus: 404 }, false],
  [{ cause: 21, sipStatus: 603 }, false],
  [{ cause: 16 }, false],
])('the next one is tried after %j: %s', (failure, expected) => {
  expect(mayTryNext(failure)).toBe(expected);
});

test('errors in a list of trunks are reported', () => {
  const issues: unknown[] = [];
  const context = { addIssue: (issue: unknown) => issues.push(issue) } as unknown as Parameters<typeof readTrunks>[1];
  expect(readTrunks('[{"name":"a","callerId":"+551140028922"},{"name":"b","format":"+e164"}]', context)).toEqual([
    { name: 'a', format: 'e164', callerId: '+551140028922' },
    { name: 'b', format: '+e164' },
  ]);
  readTrunks('nonsense', context);
  readTrunks('[]', context);
  readTrunks('[{"name":"a b"}]', context);
  readTrunks('[{"name":"a","username":"me","password":"secret"}]', context);
  readTrunks('[{"name":"a","server":"sip.example.com","password":"secret"}]', context);
  readTrunks('[{"name":"a","server":"sip.example.com","register":true}]', context);
  readTrunks('[{"name":"a"},{"name":"a"}]', context);
  readTrunks('[{"name":"a","priority":-1}]', context);
  readTrunks('[{"name":"a","routes":[]}]', context);
  readTrunks('[{"name":"a","routes":[{"prefix":"+55"}]}]', context);
  readTrunks('[{"name":"a","routes":[{"prefix":"55","costPerMinute":-1}]}]', context);
  readTrunks('[{"name":"a","routes":[{"prefix":"55"},{"prefix":"55"}]}]', context);
  expect(issues).toEqual([
    'expected a JSON array of trunks',
    expect.stringMatching(/^trunk : /),
    expect.stringMatching(/^trunk 0\.name: /),
    expect.stringMatching(/^trunk 0\.server: expected a server/),
    'trunk 0.password: expected together with username',
    'trunk 0.username: expected for register',
    'trunk : expected each name once',
    expect.stringMatching(/^trunk 0\.priority: /),
    expect.stringMatching(/^trunk 0\.routes: /),
    'trunk 0.routes.0.prefix: expected E.164 digits, or nothing for all destinations',
    expect.stringMatching(/^trunk 0\.routes\.0\.costPerMinute: /),
    'trunk 0.routes: expected each prefix once',
  ]);
});
