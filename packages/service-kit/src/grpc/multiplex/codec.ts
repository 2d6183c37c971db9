import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { CallStreamServiceService, StreamedCall } from '@sabia/protos/sabia/api/v1/call_stream';
import type { OpenCallStreamResponse } from '@sabia/protos/sabia/api/v1/call_stream';
import { readAnswer, sizeOfAnswer, sizeOfVarint, writeAnswer, writeVarint } from './streamed-answer';

const { path, requestDeserialize } = CallStreamServiceService.openCallStream;

/** What goes out holds calls that were encoded one by one: a bad one does not spoil the others, and their size is known. */
export interface OutgoingRequest {
  calls: Uint8Array[];
  cancelledIds: number[];
}

export const encodeRpc = (call: StreamedCall): Uint8Array => StreamedCall.encode(call).finish();

// Of OpenCallStreamRequest and OpenCallStreamResponse: the tags of their fields.
const ITEM_TAG = 10;
const CANCELLED_IDS_TAG = 18;
const LEAVING_TAG = 16;

export const rpcStream = {
  path,
  requestDeserialize,

  requestSerialize({ calls, cancelledIds }: OutgoingRequest): Buffer {
    const writer = new BinaryWriter();
    for (const call of calls) writer.uint32(ITEM_TAG).bytes(call);
    if (cancelledIds.length > 0) {
      writer.uint32(CANCELLED_IDS_TAG).fork();
      for (const id of cancelledIds) writer.uint32(id);
      writer.join();
    }
    const bytes = writer.finish();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  },

  responseSerialize({ answers, leaving }: OpenCallStreamResponse): Buffer {
    const sizes = answers.map(sizeOfAnswer);
    const size = sizes.reduce((sum, each) => sum + 1 + sizeOfVarint(each) + each, leaving ? 2 : 0);
    const bytes = Buffer.allocUnsafe(size);
    let at = 0;
    answers.forEach((answer, index) => {
      at = writeVarint(bytes, at, ITEM_TAG);
      at = writeVarint(bytes, at, sizes[index]!);
      at = writeAnswer(bytes, at, answer);
    });
    if (leaving) {
      at = writeVarint(bytes, at, LEAVING_TAG);
      at = writeVarint(bytes, at, 1);
    }
    // Whatever had been in that memory would travel along.
    if (at !== size) {
      throw new RangeError(`${at} bytes were written where ${size} were expected`);
    }
    return bytes;
  },

  responseDeserialize(bytes: Buffer): OpenCallStreamResponse {
    const reader = new BinaryReader(bytes);
    const response: OpenCallStreamResponse = { answers: [], leaving: false };
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === ITEM_TAG) {
        const length = reader.uint32();
        response.answers.push(readAnswer(reader, reader.pos + length));
      } else if (tag === LEAVING_TAG) {
        response.leaving = reader.bool();
      } else {
        reader.skip(tag & 7, tag >>> 3);
      }
    }
    return response;
  },
};
