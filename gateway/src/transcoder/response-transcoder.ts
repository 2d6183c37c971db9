import { responseDecoder } from './codec';
import { createWriterCompiler } from './message-writer';
import type { Route } from './routes';

/** From the response message to the JSON text of the answer. */
export interface ResponseTranscoder {
  decode: (bytes: Buffer) => Record<string, unknown>;
  write: (message: Record<string, unknown>) => string;
}

export function compileResponse(route: Route): ResponseTranscoder {
  const { shape, decode } = responseDecoder(route.rpc);
  const writers = createWriterCompiler(shape);
  if (route.responseBody === '') {
    return { decode, write: writers.message(route.rpc.responseType) };
  }
  const write = writers.field(route.rpc.responseType, route.responseBody);
  if (write === undefined) {
    throw new Error(`${route.rpc.path} has no field ${route.responseBody}`);
  }
  return { decode, write };
}
