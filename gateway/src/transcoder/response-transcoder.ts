import type { Type } from 'protobufjs';
import { responseDecoder } from './codec';
import { fieldContracts } from './field-contract';
import { createWriterCompiler } from './message-writer';
import type { Selection } from './message-writer';
import type { Route } from './routes';

/** From the response message to the JSON text of the answer. */
export interface ResponseTranscoder {
  decode: (bytes: Buffer) => Record<string, unknown>;
  /** Of the items of a list, only the fields that `shows` accepts; all of them without it. */
  write: (message: Record<string, unknown>, shows?: Selection['shows']) => string;
}

export function compileResponse(route: Route): ResponseTranscoder {
  const { shape, decode } = responseDecoder(route.rpc);
  const items = itemType(route);

  function compile(selection?: Selection): (message: Record<string, unknown>) => string {
    const writers = createWriterCompiler(shape, selection);
    if (route.responseBody === '') {
      return writers.message(route.rpc.responseType);
    }
    const write = writers.field(route.rpc.responseType, route.responseBody);
    if (write === undefined) {
      throw new Error(`${route.rpc.path} has no field ${route.responseBody}`);
    }
    return write;
  }

  const writeAll = compile();
  return {
    decode,
    write(message, shows) {
      // A selection is a client's own and seldom asked for: not worth keeping.
      return shows === undefined || items === undefined ? writeAll(message) : compile({ type: items, shows })(message);
    },
  };
}

/** What a list is a list of. */
function itemType({ rpc, responseBody }: Route): Type | undefined {
  const list = fieldContracts(rpc.responseType).find(
    ({ name, repeated, kind }) => repeated && kind === 'message' && (responseBody === '' || responseBody === name),
  );
  return list?.message;
}
