import * as fc from 'fast-check';
import { fixtureRoots } from '../../test/fixtures/roots';
import { generatedShape, loaderShape, responseDecoder } from './codec';
import { loadContract } from './contract';
import { createWriterCompiler } from './message-writer';

const { rpcs } = loadContract(fixtureRoots);
const getTool = rpcs.find(({ method }) => method === 'GetTool')!;
const listTools = rpcs.find(({ method }) => method === 'ListTools')!;
const writers = createWriterCompiler(generatedShape);
const toolType = getTool.responseType.fields['tool']!.resolvedType as typeof getTool.responseType;
const writeTool = writers.message(toolType);
const write = (tool: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(writeTool(tool)) as Record<string, unknown>;

const everything = {
  id: 7,
  name: 'Serrote "bom"\n😀',
  nickName: 'x',
  colour: 2,
  sharp: true,
  price: 123400,
  RENT: -5,
  madeAt: new Date('2025-01-02T03:04:05.678Z'),
  boughtOn: new Date('2025-01-02T00:00:00.000Z'),
  metadata: '{"2":1.0,"1":12345678901234567890}',
  parts: [{ name: 'p', size: 1, parts: [] }],
  counts: { a: 1 },
  picture: Buffer.from([1, 2]),
  weight: 0.5,
  secretNote: 's',
  labels: ['a', 'b'],
};

describe('writing a message', () => {
  it('writes every kind of field the way clients know it', () => {
    const text = writeTool(everything);
    expect(text).toContain('"metadata":{"2":1.0,"1":12345678901234567890}');
    expect(JSON.parse(text)).toEqual({
      ...everything,
      colour: 'DARK_BLUE',
      sharp: 1,
      price: 12.34,
      RENT: -0.0005,
      madeAt: '2025-01-02T03:04:05.678Z',
      boughtOn: '2025-01-02',
      metadata: JSON.parse(everything.metadata) as object,
      picture: 'AQI=',
    });
  });

  it('shows only the selected fields, of the selected type only, and leaves the text of the others alone', () => {
    const { message } = createWriterCompiler(generatedShape, {
      type: toolType,
      shows: (name) => name === 'metadata' || name === 'parts',
    });
    expect(message(toolType)(everything)).toBe(
      `{"metadata":${everything.metadata},"parts":[${JSON.stringify(everything.parts[0])}]}`,
    );
  });

  it('has every field, null where unset, and leaves out what asks for it', () => {
    const unset = write({
      id: 0,
      name: '',
      colour: 0,
      sharp: false,
      price: 0,
      metadata: '',
      parts: [],
      counts: {},
      labels: [],
      weight: NaN,
    });
    expect(unset).toEqual({
      id: 0,
      name: '',
      nickName: null,
      colour: null,
      sharp: 0,
      price: 0,
      RENT: null,
      madeAt: null,
      boughtOn: null,
      metadata: null,
      parts: [],
      counts: {},
      picture: null,
      weight: null,
      labels: [],
    });
  });

  it('selects one field, list or not', () => {
    expect(writers.field(getTool.responseType, 'tool')!({ tool: undefined })).toBe('null');
    expect(JSON.parse(writers.field(listTools.responseType, 'data')!({ data: [everything, everything] }))).toHaveLength(
      2,
    );
    expect(writers.field(listTools.responseType, 'nothing')).toBeUndefined();
  });

  it('is valid JSON whatever the strings are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(write({ ...everything, name })['name']).toBe(name);
      }),
    );
  });

  it('writes what proto-loader decodes', () => {
    const { decode, shape } = responseDecoder(getTool);
    expect(shape).toBe(loaderShape);
    const bytes = getTool.definition.responseSerialize({
      tool: {
        id: 7,
        name: 'n',
        made_at: loaderShape.fromDate(new Date('2025-01-02T03:04:05.678Z')),
        price: 5,
        rent: 0,
      },
    });
    const text = createWriterCompiler(shape).field(getTool.responseType, 'tool')!(decode(bytes));
    expect(JSON.parse(text)).toMatchObject({
      id: 7,
      name: 'n',
      nickName: null,
      price: 0.0005,
      RENT: 0,
      madeAt: '2025-01-02T03:04:05.678Z',
      boughtOn: null,
    });
  });
});
