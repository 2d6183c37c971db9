import { BinaryReader } from '@bufbuild/protobuf/wire';

interface Codec<M> {
  encode(message: M): { finish(): Uint8Array };
}

/** The number of the one field that is set in the message, read from the tag that the generated code writes for it. */
export function fieldNumber<M>(codec: Codec<M>, message: M): number {
  const bytes = codec.encode(message).finish();
  if (bytes.length === 0) {
    throw new TypeError('the message sets no field');
  }
  return new BinaryReader(bytes).tag()[0];
}
