import { OpenCallStreamResponse, StreamedAnswer } from '@sabia/protos/sabia/api/v1/call_stream';
import * as fc from 'fast-check';
import { rpcStream } from './codec';

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const uint32 = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
const answers = fc.record({
  id: uint32,
  message: fc.oneof(bytes, fc.constantFrom(Buffer.alloc(127, 1), Buffer.alloc(128, 2), Buffer.alloc(20_000, 3))),
  code: uint32,
  details: fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme' })),
  statusDetails: bytes,
  replayed: fc.boolean(),
});
const responses = fc.record({ answers: fc.array(answers, { maxLength: 4 }), leaving: fc.boolean() });

test('what is written is what the generated code would read', () => {
  fc.assert(
    fc.property(responses, (response) => {
      expect(OpenCallStreamResponse.decode(rpcStream.responseSerialize(response))).toEqual(response);
    }),
  );
});

test('what the generated code writes is read', () => {
  fc.assert(
    fc.property(responses, (response) => {
      const written = Buffer.from(OpenCallStreamResponse.encode(response).finish());
      expect(rpcStream.responseDeserialize(written)).toEqual(response);
    }),
  );
});

test('fields of a later release are passed over', () => {
  const answer = Buffer.concat([
    StreamedAnswer.encode(StreamedAnswer.fromPartial({ id: 7, details: 'x' })).finish(),
    // Field 15, of every wire type that there is.
    Buffer.from([0x78, 0x96, 0x01]),
    Buffer.from([0x7a, 2, 1, 2]),
    Buffer.from([0x7d, 1, 2, 3, 4]),
    Buffer.from([0x79, 1, 2, 3, 4, 5, 6, 7, 8]),
  ]);
  const later = Buffer.concat([Buffer.from([0x7a, 1, 9, 10, answer.length]), answer, Buffer.from([16, 1])]);
  expect(rpcStream.responseDeserialize(later)).toEqual({
    answers: [StreamedAnswer.fromPartial({ id: 7, details: 'x' })],
    leaving: true,
  });
});

test('half a message is refused', () => {
  const whole = rpcStream.responseSerialize({
    answers: [StreamedAnswer.fromPartial({ id: 1, message: Buffer.from('abcdef') })],
    leaving: false,
  });
  expect(() => rpcStream.responseDeserialize(whole.subarray(0, whole.length - 2))).toThrow('premature EOF');
});

test('a number that the wire does not know is refused, and nothing is sent in its place', () => {
  const answers = [StreamedAnswer.fromPartial({ id: 1, code: -1 })];
  expect(() => rpcStream.responseSerialize({ answers, leaving: false })).toThrow('bytes were written');
});
