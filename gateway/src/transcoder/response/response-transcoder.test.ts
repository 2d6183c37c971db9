import * as fc from 'fast-check';
import { fixtureRoots } from '../../../test/fixtures/roots';
import { defaultProtoRoot, loadContract } from '../../contract/contract';
import { buildRoutes } from '../../contract/routes';
import { compileResponse, createWriterCompiler } from './response-transcoder';

const contract = loadContract(fixtureRoots);
const { rpcs } = contract;
const getTool = rpcs.find(({ method }) => method === 'GetTool')!;
const listTools = rpcs.find(({ method }) => method === 'ListTools')!;
const writers = createWriterCompiler();
const toolType = getTool.responseType.fields['tool']!.resolvedType as typeof getTool.responseType;
const writeTool = writers.message(toolType);
/** google.protobuf.Timestamp. */
const timestamp = (date: Date): unknown => {
  const seconds = Math.floor(date.getTime() / 1000);
  return { seconds, nanos: (date.getTime() - seconds * 1000) * 1_000_000 };
};
/** Takes fields by their names in the proto. */
const encode = (tool: object): Buffer => Buffer.from(toolType.encode(toolType.fromObject(tool)).finish());
const write = (tool: object): Record<string, unknown> =>
  JSON.parse(writeTool(encode(tool)).toString()) as Record<string, unknown>;

const everything = {
  id: 7,
  name: 'Serrote "bom"\n😀',
  nick_name: 'x',
  colour: 2,
  sharp: true,
  price: 123400,
  rent: -5,
  made_at: timestamp(new Date('2025-01-02T03:04:05.678Z')),
  bought_on: timestamp(new Date('2025-01-02T00:00:00.000Z')),
  metadata: '{"2":1.0,"1":12345678901234567890}',
  parts: [{ name: 'p', size: 1, parts: [] }],
  counts: { a: 1, b: 0 },
  picture: Buffer.from([1, 2]),
  weight: 0.5,
  secret_note: 's',
  labels: ['a', 'b'],
};

const asJson = {
  id: 7,
  name: everything.name,
  nickName: 'x',
  colour: 'DARK_BLUE',
  sharp: 1,
  price: 12.34,
  RENT: -0.0005,
  madeAt: '2025-01-02T03:04:05.678Z',
  boughtOn: '2025-01-02',
  metadata: JSON.parse(everything.metadata) as object,
  parts: everything.parts,
  counts: everything.counts,
  picture: 'AQI=',
  weight: 0.5,
  secretNote: 's',
  labels: ['a', 'b'],
};

const unset = {
  ...{ id: 0, name: '', nickName: null, colour: null, sharp: 0, price: 0, RENT: null, madeAt: null, boughtOn: null },
  ...{ metadata: null, parts: [], counts: {}, picture: '', weight: 0, labels: [] },
};

describe('writing a message', () => {
  it('writes every kind of field the way clients know it, in the order of the proto', () => {
    const text = writeTool(encode(everything)).toString();
    expect(text).toContain('"metadata":{"2":1.0,"1":12345678901234567890}');
    expect(JSON.parse(text)).toEqual(asJson);
    expect(Object.keys(JSON.parse(text) as object)).toEqual(Object.keys(asJson));
  });

  it('shows only the selected fields of the selected type and leaves other types alone', () => {
    const shows = (name: string): boolean => name === 'metadata' || name === 'parts';
    const { message } = createWriterCompiler({ type: toolType, shows });
    expect(message(toolType)(encode(everything))).toBe(
      `{"metadata":${everything.metadata},"parts":[${JSON.stringify(everything.parts[0])}]}`,
    );
    expect(createWriterCompiler({ type: toolType, shows: () => false }).message(toolType)(encode(everything))).toBe(
      '{}',
    );
  });

  it('has every field, null where unset, and leaves out unset fields that say so', () => {
    expect(write({})).toEqual(unset);
    expect(write({ rent: 0, nick_name: '', weight: NaN, secret_note: '', metadata: 'no object' })).toEqual({
      ...unset,
      ...{ RENT: 0, nickName: '', weight: null, secretNote: '', metadata: null },
    });
    expect(write({ colour: 99 })).toMatchObject({ colour: null });
  });

  it('takes fields in any order, the last value of a field that comes twice, and ignores unknown fields', () => {
    const [unknown, other] = [Buffer.from([0xfa, 0x7f, 1, 65]), Buffer.from([0xfd, 0x7f, 1, 2, 3, 4])];
    const bytes = [
      encode({ labels: ['a'], name: 'first', parts: [{ name: 'p' }] }),
      unknown,
      encode({ ...everything, labels: ['b'], parts: [] }),
      other,
      encode({ labels: ['c'] }),
    ];
    const read = JSON.parse(writeTool(Buffer.concat(bytes)).toString()) as object;
    expect(read).toEqual({ ...asJson, labels: ['a', 'b', 'c'], parts: [{ name: 'p', size: null, parts: [] }] });
  });

  it('takes fields in any order also of a message without lists, and refuses a message that is cut short', () => {
    const { responseType } = loadContract([defaultProtoRoot()]).rpcs.find(({ method }) => method === 'GetMe')!;
    const type = responseType.fields['user']!.resolvedType as typeof toolType;
    const writeUser = createWriterCompiler().message(type);
    const encodeUser = (user: object): Buffer => Buffer.from(type.encode(type.fromObject(user)).finish());
    const fields = [{ uuid: 'u' }, { name: 'Ana' }, { email: 'ana@exemplo.com.br' }, { phone: '1' }].map(encodeUser);
    const inOrder = writeUser(Buffer.concat(fields)).toString();
    expect(JSON.parse(inOrder)).toMatchObject({ uuid: 'u', name: 'Ana', email: 'ana@exemplo.com.br', phone: '1' });
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), (order) => {
        const shuffled = order.map((index) => fields[index]!);
        expect(writeUser(Buffer.concat(shuffled)).toString()).toBe(inOrder);
        const twice = [encodeUser({ name: 'Bia' }), ...shuffled, encodeUser({})];
        expect(writeUser(Buffer.concat(twice)).toString()).toBe(inOrder);
      }),
    );
    const whole = Buffer.from(responseType.encode({ user: type.decode(Buffer.concat(fields)) }).finish());
    const writeResponse = createWriterCompiler().message(responseType);
    expect(writeResponse(whole)).toBe(`{"user":${inOrder}}`);
    for (let length = 1; length < whole.length; length += 1) {
      expect(() => writeResponse(whole.subarray(0, length))).toThrow(RangeError);
    }
  });

  it('selects one field, list or not', () => {
    const tool = writers.field(getTool.responseType, 'tool')!;
    expect(tool(Buffer.alloc(0))).toBe('null');
    const response = getTool.responseType.encode({ tool: toolType.fromObject(everything) }).finish();
    expect(JSON.parse(tool(Buffer.from(response)).toString())).toEqual(asJson);
    const list = writers.field(listTools.responseType, 'data')!;
    const data = [everything, everything].map((item) => toolType.fromObject(item));
    const bytes = listTools.responseType.encode({ filter: 'x', data, meta: {} }).finish();
    expect(JSON.parse(list(Buffer.from(bytes)).toString())).toEqual([asJson, asJson]);
    expect(list(Buffer.alloc(0))).toBe('[]');
    expect(writers.field(listTools.responseType, 'nothing')).toBeUndefined();
  });

  it('writes the same text as JSON.stringify for random messages', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary-ascii', maxLength: 200 }));
    const part = fc.letrec<{ part: object }>((tie) => ({
      part: fc.record({
        name: text,
        size: fc.integer(),
        parts: fc.oneof({ maxDepth: 3 }, fc.constant([]), fc.array(tie('part'), { maxLength: 3 })),
      }),
    })).part;
    const tool = fc.record({
      id: fc.maxSafeInteger(),
      name: text,
      nickName: fc.option(text),
      madeAt: fc.option(
        fc.date({ min: new Date(-62135596800000), max: new Date(253402300799999), noInvalidDate: true }),
      ),
      metadata: fc.json().filter((json) => json.startsWith('{')),
      parts: fc.array(part, { maxLength: 4 }),
      counts: fc.dictionary(
        text.filter((key) => !/^\d+$/.test(key) && key !== '__proto__'),
        fc.integer(),
      ),
      picture: fc.uint8Array(),
      weight: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
      labels: fc.array(text),
    });
    fc.assert(
      fc.property(fc.array(tool, { maxLength: 20 }), (tools) => {
        const data = tools.map(({ nickName, madeAt, picture, ...rest }) => ({
          ...rest,
          ...(nickName === null ? {} : { nick_name: nickName }),
          ...(madeAt === null ? {} : { made_at: timestamp(madeAt) }),
          picture: Buffer.from(picture),
        }));
        const bytes = Buffer.concat(
          data.map((item) =>
            Buffer.from(listTools.responseType.encode({ data: [toolType.fromObject(item)] }).finish()),
          ),
        );
        expect(writers.field(listTools.responseType, 'data')!(bytes).toString()).toBe(
          `[${tools.map((item) => reference(item)).join(',')}]`,
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe.each([{ fromWire: true }, { fromWire: false }])('a list, with %j', ({ fromWire }) => {
  const list = buildRoutes(contract).find(({ rpc }) => rpc.method === 'ListTools')!;
  const { responseType } = list.rpc;
  const encodeList = (...names: string[]): Buffer =>
    Buffer.from(responseType.encode(responseType.fromObject({ data: names.map((name) => ({ name })) })).finish());

  test('lists that follow each other are written independently', () => {
    const write = compileResponse(list, { fromWire });
    const names = (bytes: Buffer): unknown => {
      const { data } = JSON.parse(write(bytes).toString()) as { data: { name: string }[] };
      return data.map(({ name }) => name);
    };
    expect(names(encodeList('a', 'b'))).toEqual(['a', 'b']);
    expect(names(encodeList('a', 'b'))).toEqual(['a', 'b']);
    expect(names(encodeList('a', 'c'))).toEqual(['a', 'c']);
    expect(names(encodeList())).toEqual([]);
    expect(names(encodeList('a', 'b'))).toEqual(['a', 'b']);
  });

  test('a selection of fields does not affect later responses', () => {
    const write = compileResponse(list, { fromWire });
    const whole = write(encodeList('a')).toString();
    expect(JSON.parse(write(encodeList('a'), (field) => field === 'name').toString())).toMatchObject({
      data: [{ name: 'a' }],
    });
    expect(write(encodeList('a'), (field) => field === 'name').toString()).not.toEqual(whole);
    expect(write(encodeList('a')).toString()).toEqual(whole);
  });
});

/** The text of JSON.stringify, with `metadata` inserted as it is. */
function reference({ metadata, ...tool }: { metadata: string; madeAt: Date | null; picture: Uint8Array }): string {
  const mark = '\ue000metadata\ue000';
  const { secretNote: _left, ...fields } = {
    ...{ ...unset, ...tool, secretNote: undefined },
    madeAt: tool.madeAt?.toISOString() ?? null,
    picture: Buffer.from(tool.picture).toString('base64'),
    metadata: mark,
  };
  const ordered = Object.fromEntries(Object.keys(unset).map((name) => [name, fields[name as keyof typeof fields]]));
  return JSON.stringify(ordered).replace(`"${mark}"`, () => metadata);
}
