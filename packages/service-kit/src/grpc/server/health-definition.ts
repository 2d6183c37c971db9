import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

export interface HealthRequest {
  /** '' asks for the server as a whole. */
  service: string;
}

const statuses = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;

export type HealthStatus = (typeof statuses)[number];

export interface HealthResponse {
  status: HealthStatus;
}

// grpc.health.v1: both messages have one field, number 1. Written out, because the usual package brings a second
// protobuf implementation into every process and parses a .proto file when it is loaded.
const SERVICE_TAG = 10;
const STATUS_TAG = 8;

const codecs = {
  requestSerialize: ({ service }: HealthRequest): Buffer =>
    Buffer.from(new BinaryWriter().uint32(SERVICE_TAG).string(service).finish()),
  requestDeserialize: (bytes: Buffer): HealthRequest => {
    let service = '';
    readField(bytes, SERVICE_TAG, (reader) => (service = reader.string()));
    return { service };
  },
  responseSerialize: ({ status }: HealthResponse): Buffer =>
    Buffer.from(new BinaryWriter().uint32(STATUS_TAG).int32(statuses.indexOf(status)).finish()),
  responseDeserialize: (bytes: Buffer): HealthResponse => {
    let status: HealthStatus = 'UNKNOWN';
    readField(bytes, STATUS_TAG, (reader) => (status = statuses[reader.int32()] ?? 'UNKNOWN'));
    return { status };
  },
};

function readField(bytes: Buffer, wanted: number, read: (reader: BinaryReader) => void): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === wanted) {
      read(reader);
    } else {
      reader.skip(tag & 7);
    }
  }
}

export const healthDefinition = {
  Check: { path: '/grpc.health.v1.Health/Check', requestStream: false, responseStream: false, ...codecs },
  Watch: { path: '/grpc.health.v1.Health/Watch', requestStream: false, responseStream: true, ...codecs },
} as const;
