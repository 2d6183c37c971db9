import type { Type } from 'protobufjs';
import { fieldContracts } from '../../contract/field-contract';
import { createWriterCompiler } from './message-writer';
import type { MessageWriter, Selection } from './message-writer';
import type { Route } from '../../contract/routes';
import { compileWireWriter } from './wire/wire-writer';

/**
 * From the bytes of the response message to the JSON of the HTTP response.
 * `shows` selects fields of the items of a list; without it all of them are written.
 */
export type ResponseTranscoder = (bytes: Buffer, shows?: Selection['shows']) => string | Buffer;

export interface ResponseOptions {
  /** Whether lists may be written by wire/, which is faster; the plain writer can write every response. */
  fromWire: boolean;
}

export function compileResponse(route: Route, { fromWire }: ResponseOptions): ResponseTranscoder {
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

  const writeAll = compile();
  // Other responses are too short to gain from it.
  const writeList =
    fromWire && items !== undefined && route.responseBody === ''
      ? compileWireWriter(route.rpc.responseType)
      : undefined;
  return (bytes, shows) => {
    if (shows === undefined || items === undefined) {
      return writeList?.(bytes) ?? writeAll(bytes);
    }
    // Selections differ from client to client and are rare, so their writers are not kept.
    return compile({ type: items, shows })(bytes);
  };
}

/** The message type of the items of a list; undefined for a route that answers no list. */
function itemType({ rpc, responseBody }: Route): Type | undefined {
  const list = fieldContracts(rpc.responseType).find(
    ({ name, repeated, kind }) => repeated && kind === 'message' && (responseBody === '' || responseBody === name),
  );
  return list?.message;
}
