import { invalid, notFound } from '@sabia/service-kit/errors';
import type { Violation } from '@sabia/service-kit/errors';
import { fieldContracts } from '../../contract/field-contract';
import type { FieldContract } from '../../contract/field-contract';
import { plainObject } from './input';
import type { InputObject } from './input';
import { createReaderCompiler } from './message-reader';
import type { MessageReader } from './message-reader';
import type { Route } from '../../contract/routes';
import { compileSimpleFilter } from './simple-filter';

export interface RequestParts {
  /** Decoded, in the order of the template. */
  parameters: string[];
  query: () => Record<string, unknown>;
  /** Absent when the route has no body. */
  body?: InputObject;
  /** The request has the header If-None-Match: *. */
  ifNoneMatch?: boolean;
}

export interface EncodedRequest {
  bytes: Buffer;
  /** The filter of a list, as the service gets it. */
  filter: string | undefined;
}

/** Turns path, query and body into the bytes of the request message. */
export type RequestTranscoder = (parts: RequestParts) => EncodedRequest;

export function compileRequest(route: Route): RequestTranscoder {
  const { requestType } = route.rpc;
  const encode = (message: Record<string, unknown>): Buffer => requestType.encode(message).finish() as Buffer;
  const read = createReaderCompiler()(requestType);
  const fields = new Map(fieldContracts(requestType).map((field) => [field.name, field]));
  const names = route.segments.flatMap((segment) => ('parameter' in segment ? [segment.parameter] : []));
  const fromPath = names.map((name) => fields.get(name)!);
  const filterField = [...fields.values()].find(({ format }) => format === 'FILTER');
  const addParameters = filterField && compileSimpleFilter(filterField.parameters);
  const createOnlyField = [...fields.values()].find(({ ifNoneMatch }) => ifNoneMatch);
  const bodyField = route.body === '' || route.body === '*' ? undefined : fields.get(route.body);

  return ({ parameters, query, body, ifNoneMatch = false }) => {
    const violations: Violation[] = [];
    const message = route.body === '*' ? {} : read(plainObject(query()), violations);
    if (body !== undefined) {
      Object.assign(message, readBody(read, body, violations, bodyField));
    }
    fromPath.forEach((field, index) => {
      message[field.name] = readParameter(read, field, parameters[index] ?? '', route.model);
    });
    if (createOnlyField !== undefined && ifNoneMatch) {
      message[createOnlyField.name] = true;
    }
    if (violations.length > 0) {
      throw invalid(route.model, violations);
    }
    if (filterField === undefined || addParameters === undefined) {
      return { bytes: encode(message), filter: undefined };
    }
    const filter = addParameters(message[filterField.name] as string | undefined, query());
    if (filter !== undefined) {
      message[filterField.name] = filter;
    }
    return { bytes: encode(message), filter };
  };
}

function readBody(
  read: MessageReader,
  body: InputObject,
  violations: Violation[],
  bodyField: FieldContract | undefined,
): Record<string, unknown> {
  if (bodyField === undefined) {
    return read(body, violations);
  }
  return read(plainObject({ [bodyField.jsonName]: body.values }), violations);
}

/** A malformed id, such as a word where a number belongs, names no resource: that is a 404, not a 422. */
function readParameter(read: MessageReader, field: FieldContract, text: string, model: string): unknown {
  const violations: Violation[] = [];
  const message = read(plainObject({ [field.jsonName]: text }), violations);
  if (violations.length > 0) {
    throw notFound(model, text.replace(/[\0\p{Surrogate}]/gu, '').slice(0, 100));
  }
  return message[field.name];
}
