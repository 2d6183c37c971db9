import { messageTypeRegistry } from '@sabia/protos/typeRegistry';
import type { MessageType } from '@sabia/protos/typeRegistry';
import type { Type } from 'protobufjs';
import type { Rpc } from '../../contract/contract';
import type { FieldContract } from '../../contract/field-contract';

/** How the properties of a request look in memory: generated code and proto-loader differ. */
export interface Shape {
  property(field: FieldContract): string;
  fromDate(date: Date): unknown;
}

export interface Encoder {
  shape: Shape;
  encode: (message: Record<string, unknown>) => Buffer;
}

export const generatedShape: Shape = {
  property: (field) => field.jsonName,
  fromDate: (date) => date,
};

export const loaderShape: Shape = {
  property: (field) => field.name,
  fromDate: (date) => {
    const seconds = Math.floor(date.getTime() / 1000);
    return { seconds, nanos: (date.getTime() - seconds * 1000) * 1_000_000 };
  },
};

/** Generated modules register their messages when they are loaded. A service without any is served by proto-loader's codec. */
export async function loadGeneratedCode(serviceNames: readonly string[]): Promise<void> {
  for (const name of serviceNames) {
    try {
      await import(`@sabia/protos/sabia/${name}/v1/messages`);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND' && code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') {
        throw error;
      }
    }
  }
}

export function requestEncoder(rpc: Rpc): Encoder {
  const generated = generatedType(rpc.requestType);
  if (generated === undefined) {
    return { shape: loaderShape, encode: (message) => rpc.definition.requestSerialize(message) };
  }
  return {
    shape: generatedShape,
    encode: (message) => asBuffer(generated.encode(generated.fromPartial(message as object)).finish()),
  };
}

function generatedType(type: Type): MessageType<Record<string, unknown>> | undefined {
  return messageTypeRegistry.get(type.fullName.slice(1)) as MessageType<Record<string, unknown>> | undefined;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
