import { fixtureRoots } from '../../test/fixtures/roots';
import { loadContract } from '../contract/contract';
import { compileResponse } from './response-transcoder';
import { buildRoutes } from '../contract/routes';

const list = buildRoutes(loadContract(fixtureRoots)).find(({ rpc }) => rpc.method === 'ListTools')!;
const { responseType } = list.rpc;
const encode = (...names: string[]): Buffer =>
  Buffer.from(responseType.encode(responseType.fromObject({ data: names.map((name) => ({ name })) })).finish());

test('a list is written anew when it has changed, and the same when it has not', () => {
  const write = compileResponse(list);
  const names = (bytes: Buffer): unknown => {
    const { data } = JSON.parse(write(bytes).toString()) as { data: { name: string }[] };
    return data.map(({ name }) => name);
  };
  expect(names(encode('a', 'b'))).toEqual(['a', 'b']);
  expect(names(encode('a', 'b'))).toEqual(['a', 'b']);
  expect(names(encode('a', 'c'))).toEqual(['a', 'c']);
  expect(names(encode())).toEqual([]);
  expect(names(encode('a', 'b'))).toEqual(['a', 'b']);
});

test('some fields of a list do not stand for all of them', () => {
  const write = compileResponse(list);
  const whole = write(encode('a')).toString();
  expect(JSON.parse(write(encode('a'), (field) => field === 'name').toString())).toMatchObject({
    data: [{ name: 'a' }],
  });
  expect(write(encode('a'), (field) => field === 'name').toString()).not.toEqual(whole);
  expect(write(encode('a')).toString()).toEqual(whole);
});
