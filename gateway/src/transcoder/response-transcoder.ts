import type { Type } from 'protobufjs';
import { fieldContracts } from '../contract/field-contract';
import { createWriterCompiler } from './message-writer';
import type { MessageWriter, Selection } from './message-writer';
import type { Route } from '../contract/routes';

/**
 * From the bytes of the response message to the JSON of the answer.
 * Of the items of a list, only the fields that `shows` accepts; all of them without it.
 */
export type ResponseTranscoder = (bytes: Buffer, shows?: Selection['shows']) => string | Buffer;

export function compileResponse(route: Route): ResponseTranscoder {
  const items = itemType(route);

  function compile(selection?: Selection): MessageWriter {
    const writers = createWriterCompiler(selection);
    if (route.responseBody === '') {
      return writers.message(route.rpc.responseType);
    }
    const write = writers.field(route.rpc.responseType, route.responseBody);
    if (write === undefined) {
      throw new Error(`${route.rpc.path} has no field ${route.responseBody}`);
    }
    return write;
  }

  const writeAll = items === undefined ? compile() : rememberLast(compile());
  // A selection is a client's own and seldom asked for: not worth keeping.
  return (bytes, shows) =>
    shows === undefined || items === undefined ? writeAll(bytes) : compile({ type: items, shows })(bytes);
}

/** Of people who look at the same list at the same time each gets the same bytes, one right after the other. */
function rememberLast(write: MessageWriter): MessageWriter {
  let last: { bytes: Buffer; text: string | Buffer } | undefined;
  return (bytes) => {
    if (last?.bytes.equals(bytes) !== true) {
      if (last === undefined) {
        // Nobody else's answer stays in memory longer than this.
        setImmediate(() => (last = undefined));
      }
      last = { bytes, text: write(bytes) };
    }
    return last.text;
  };
}

/** What a list is a list of. */
function itemType({ rpc, responseBody }: Route): Type | undefined {
  const list = fieldContracts(rpc.responseType).find(
    ({ name, repeated, kind }) => repeated && kind === 'message' && (responseBody === '' || responseBody === name),
  );
  return list?.message;
}
