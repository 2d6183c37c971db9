import { fixtureRoots } from '../../../test/fixtures/roots';
import { loadContract } from '../../contract/contract';
import { compileResponse } from './response-transcoder';
import { buildRoutes } from '../../contract/routes';

const list = buildRoutes(loadContract(fixtureRoots)).find(({ rpc }) => rpc.method === 'ListTools')!;
const { responseType } = list.rpc;
const encode = (...names: string[]): Buffer =>
  Buffer.from(responseType.encode(responseType.fromObject({ data: names.map((name) => ({ name })) })).finish());

describe.each([{ fromWire: true }, { fromWire: false }])('a list, with %j', ({ fromWire }) => {
  test('lists that follow each other are written independently', () => {
    const write = compileResponse(list, { fromWire });
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

  test('a selection of fields does not affect later responses', () => {
    const write = compileResponse(list, { fromWire });
    const whole = write(encode('a')).toString();
    expect(JSON.parse(write(encode('a'), (field) => field === 'name').toString())).toMatchObject({
      data: [{ name: 'a' }],
    });
    expect(write(encode('a'), (field) => field === 'name').toString()).not.toEqual(whole);
    expect(write(encode('a')).toString()).toEqual(whole);
  });
});
