import * as fc from 'fast-check';
import type { Type } from 'protobufjs';
import { fixtureRoots } from '../../../../test/fixtures/roots';
import { defaultProtoRoot, loadContract } from '../../../contract/contract';
import { fieldContracts } from '../../../contract/field-contract';
import type { FieldContract } from '../../../contract/field-contract';
import { buildRoutes } from '../../../contract/routes';
import { createWriterCompiler } from '../response-transcoder';
import { compileWireWriter } from './wire-writer';

const routes = buildRoutes(loadContract([defaultProtoRoot()]));
/** Messages with lists of numbers, which are packed on the wire: they are rare, and left to the plain writer. */
const plainOnly = ['ListNumberClaimsResponse'];
const types = [...new Set(routes.map(({ rpc }) => rpc.responseType))].filter(({ name }) => !plainOnly.includes(name));
const typeOf = (method: string): Type => routes.find(({ rpc }) => rpc.method === method)!.rpc.responseType;

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme', maxLength: 100 }),
  fc.string({ unit: 'binary-ascii', maxLength: 100 }),
);

function valueOf(field: FieldContract, depth: number): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'string':
      return field.format === 'JSON_OBJECT'
        ? fc.oneof(
            fc.json(),
            fc.json().map((json) => ` ${json}`),
            text,
          )
        : text;
    case 'bool':
      return fc.boolean();
    case 'integer':
      return fc.oneof(
        fc.nat(20_000),
        field.scalar.endsWith('64') ? fc.maxSafeNat() : fc.nat(),
        field.scalar.startsWith('u') ? fc.nat() : fc.integer(),
      );
    case 'float':
      return fc.double();
    case 'bytes':
      return fc.uint8Array().map((bytes) => Buffer.from(bytes));
    case 'enum':
      return fc.nat(9);
    case 'timestamp':
      return fc.record({ seconds: fc.integer({ min: -7e10, max: 3e11 }), nanos: fc.nat(999_999_999) });
    case 'message':
      return messageOf(field.message!, depth + 1);
  }
}

function messageOf(type: Type, depth = 0): fc.Arbitrary<object> {
  const fields = fieldContracts(type)
    .filter(({ kind }) => kind !== 'message' || depth < 4)
    .map((field): [string, fc.Arbitrary<unknown>] => {
      const value = valueOf(field, depth);
      return [field.name, field.repeated ? fc.array(value, { maxLength: 4 }) : value];
    });
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
}

const encode = (type: Type, message: object): Buffer => Buffer.from(type.encode(type.fromObject(message)).finish());

describe('JSON from the bytes of a message', () => {
  it.each(plainOnly)('is left to the plain writer for %s', (name) => {
    const { rpc } = routes.find(({ rpc: { responseType } }) => responseType.name === name)!;
    expect(compileWireWriter(rpc.responseType)).toBeUndefined();
  });

  it.each(types.map((type) => [type.name, type] as const))('is for %s that of the plain writer', (_, type) => {
    const plain = createWriterCompiler().message(type);
    const write = compileWireWriter(type)!;
    fc.assert(
      fc.property(messageOf(type), (message) => {
        const bytes = encode(type, message);
        expect((write(bytes) ?? plain(bytes)).toString()).toBe(plain(bytes));
      }),
      { numRuns: 50 },
    );
  });

  it('is written for pages of calls as telephony sends them', () => {
    const type = typeOf('ListCalls');
    const data = [
      { id: 'a', from: '1000', started_at: { seconds: 1_700_000_000, nanos: 5_000_000 }, metadata: '{"a" : 1.0}' },
      { id: 'b', first_name: 'Conceição "Ção"\n', call_price: 12_300, metadata: '{}' },
    ];
    const bytes = encode(type, { data, meta: { total: 2 } });
    expect(compileWireWriter(type)!(bytes)?.toString()).toBe(createWriterCompiler().message(type)(bytes));
  });

  it('grows with the message', () => {
    const type = typeOf('ListCalls');
    const data = Array.from({ length: 3_000 }, (_, nth) => ({
      id: `${nth}`,
      metadata: `{"text":"${'ã'.repeat(500)}"}`,
    }));
    const bytes = encode(type, { data });
    const written = compileWireWriter(type)!(bytes)!;
    expect(written.equals(Buffer.from(createWriterCompiler().message(type)(bytes)))).toBe(true);
  });

  it('is left to the plain writer when fields come out of order, twice or in another encoding', () => {
    const type = typeOf('ListCalls');
    const write = compileWireWriter(type)!;
    const [page, meta] = [encode(type, { data: [{ id: 'a', metadata: '{}' }] }), encode(type, { meta: { total: 1 } })];
    expect(write(Buffer.concat([page, meta]))).toBeDefined();
    expect(write(Buffer.concat([page, page, meta]))).toBeDefined();
    expect(write(Buffer.concat([meta, page]))).toBeUndefined();
    expect(write(Buffer.concat([page, meta, page]))).toBeUndefined();
    expect(write(Buffer.concat([page, meta, meta]))).toBeUndefined();
    // Field 1 as a number.
    expect(write(Buffer.from([0x08, 1]))).toBeUndefined();
    // Unknown fields are passed over: 2047 as bytes.
    expect(write(Buffer.concat([Buffer.from([0xfa, 0x7f, 1, 65]), page]))).toEqual(write(page));
  });

  it('is never that of a message which is cut short', () => {
    const type = typeOf('ListCalls');
    const write = compileWireWriter(type)!;
    const plain = createWriterCompiler().message(type);
    const bytes = encode(type, { data: [{ id: 'abc', from: '1000', metadata: '{"a":1}' }] });
    for (let length = 1; length < bytes.length; length += 1) {
      expect(() => write(bytes.subarray(0, length)) ?? plain(bytes.subarray(0, length))).toThrow(RangeError);
    }
  });

  it('is not offered for types with maps', () => {
    const { rpcs } = loadContract(fixtureRoots);
    expect(compileWireWriter(rpcs.find(({ method }) => method === 'ListTools')!.responseType)).toBeUndefined();
  });
});
