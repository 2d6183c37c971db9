import {
  CallStreamServiceService,
  OpenCallStreamRequest,
  OpenCallStreamResponse,
} from '@sabia/protos/sabia/api/v1/call_stream';

const { path, requestDeserialize, responseDeserialize } = CallStreamServiceService.openCallStream;

/** As generated, but without a last copy of the whole message. */
export const callStream = {
  path,
  requestDeserialize,
  responseDeserialize,
  requestSerialize: (request: OpenCallStreamRequest): Buffer =>
    asBuffer(OpenCallStreamRequest.encode(request).finish()),
  responseSerialize: (response: OpenCallStreamResponse): Buffer =>
    asBuffer(OpenCallStreamResponse.encode(response).finish()),
};

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
