import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { CallStreamServiceService, StreamedAnswer, StreamedCall } from '@sabia/protos/sabia/api/v1/call_stream';

const { path, requestDeserialize, responseDeserialize } = CallStreamServiceService.openCallStream;

/** What goes out holds calls, or answers, that were encoded one by one: a bad one does not spoil the others, and their size is known. */
export interface OutgoingRequest {
  calls: Uint8Array[];
  cancelledIds: number[];
}

export interface OutgoingResponse {
  answers: Uint8Array[];
  leaving: boolean;
}

export const encodeCall = (call: StreamedCall): Uint8Array => StreamedCall.encode(call).finish();
export const encodeAnswer = (answer: StreamedAnswer): Uint8Array => StreamedAnswer.encode(answer).finish();

// Of OpenCallStreamRequest and OpenCallStreamResponse: the tags of their fields.
const ITEM_TAG = 10;
const CANCELLED_IDS_TAG = 18;
const LEAVING_TAG = 16;

export const callStream = {
  path,
  requestDeserialize,
  responseDeserialize,

  requestSerialize({ calls, cancelledIds }: OutgoingRequest): Buffer {
    const writer = new BinaryWriter();
    for (const call of calls) writer.uint32(ITEM_TAG).bytes(call);
    if (cancelledIds.length > 0) {
      writer.uint32(CANCELLED_IDS_TAG).fork();
      for (const id of cancelledIds) writer.uint32(id);
      writer.join();
    }
    return asBuffer(writer.finish());
  },

  responseSerialize({ answers, leaving }: OutgoingResponse): Buffer {
    const writer = new BinaryWriter();
    for (const answer of answers) writer.uint32(ITEM_TAG).bytes(answer);
    if (leaving) writer.uint32(LEAVING_TAG).bool(true);
    return asBuffer(writer.finish());
  },
};

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
