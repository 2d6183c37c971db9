import { fieldContracts } from '../contract/field-contract';
import { rateLimitClasses } from '../contract/rate-limit-classes';
import type { Route } from '../contract/routes';
import type { Admitted, DocumentBuilder } from './builder';
import { parametersOf, pathParametersOf } from './parameters';
import type { Parameter } from './parameters';
import { headerReferences, successHeaders } from './response-headers';
import { securityOf } from './security';
import type { Schema } from './schemas';
import { tagOf } from './tags';

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  deprecated?: boolean;
  security: object[];
  parameters: Parameter[];
  requestBody?: { required: boolean; description?: string; content: Record<string, { schema: Schema }> };
  responses: Record<string, object>;
  /** For programs: the operation that this one is another path for. */
  'x-alias-of'?: string;
  /** For programs: how many requests are allowed, and by what they are counted. */
  'x-rate-limit'?: object;
}

export function operationOf(route: Route, builder: DocumentBuilder): Operation {
  const { say } = builder;
  return {
    operationId: route.operationId,
    summary: say(route.summary),
    description: [
      ...[route.description, ...(route.additional ? [aliasText] : [])].map((text) =>
        say(text, { path: aliasOf(route) }),
      ),
      builder.admission(route),
      ...(route.idempotencyKey ? [say('Honours the Idempotency-Key header for 24 hours.')] : []),
    ]
      .filter((text) => text !== '')
      .join('\n\n'),
    tags: [tagOf(route.template)],
    ...(route.additional ? { 'x-alias-of': aliasOf(route) } : {}),
    ...(route.rpc.deprecated ? { deprecated: true } : {}),
    security: securityOf(route.access),
    parameters: parametersOf(route, builder),
    ...(hasBody(route) ? { requestBody: bodyOf(route, builder) } : {}),
    responses: {
      [route.successStatus]: successOf(route, builder),
      ...builder.errors.of(errorsOf(route)),
    },
    'x-rate-limit': rateLimitOf(route, builder),
  };
}

const aliasText = 'Another path for `{path}`.';
const aliasOf = ({ rpc }: Route): string => `${rpc.method.charAt(0).toLowerCase()}${rpc.method.slice(1)}`;

export const rateLimitOf = ({ rateLimit }: Admitted, { limits }: DocumentBuilder): object => ({
  class: rateLimit,
  requests: limits[rateLimit],
  seconds: 60,
  by: rateLimitClasses[rateLimit].by,
});

/** Which errors of its own an operation has is in its proto; the others follow from what it takes. */
function errorsOf(route: Route): string[] {
  const fields = fieldContracts(route.rpc.requestType);
  const has = (test: (field: (typeof fields)[number]) => boolean): boolean => fields.some(test);
  const when = (condition: boolean, ...codes: string[]): string[] => (condition ? codes : []);
  const inPath = pathParametersOf(route).size > 0;
  return [
    ...when(inPath, 'INVALID_PATH', 'MODEL_NOT_FOUND'),
    ...when(hasBody(route), 'INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'),
    ...when(
      has(({ format }) => format === 'PAGE'),
      'INVALID_PAGE',
    ),
    ...when(
      has(({ format }) => format === 'FILTER'),
      'INVALID_FILTER',
    ),
    ...when(
      has(({ ifNoneMatch }) => ifNoneMatch),
      'INVALID_IF_NONE_MATCH',
      'ALREADY_EXISTS',
    ),
    ...when(route.idempotencyKey, 'INVALID_IDEMPOTENCY_KEY', 'IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'),
    ...when(fields.length > 0, 'VALIDATION_ERROR'),
    ...route.errors,
    ...errorsOfAdmission(route),
  ];
}

/** What every operation can answer. */
export function errorsOfAdmission({ access }: Pick<Admitted, 'access'>): string[] {
  return [
    ...(access === 'PUBLIC'
      ? []
      : [
          'AUTHORIZATION_REQUIRED',
          'INVALID_TOKEN',
          'ACCESS_DENIED',
          'ACCOUNT_SUSPENDED',
          'FOREIGN_ORIGIN',
          'CONSOLE_HEADER_REQUIRED',
        ]),
    'RATE_LIMITED',
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
    'GATEWAY_TIMEOUT',
  ];
}

/** Where the path has everything, a body is ignored. */
function hasBody(route: Route): boolean {
  const inPath = pathParametersOf(route);
  const { body, rpc } = route;
  return body !== '' && (body !== '*' || fieldContracts(rpc.requestType).some(({ name }) => !inPath.has(name)));
}

/** A missing body is read as {}, so the body is required only where a field is. */
function bodyOf(route: Route, builder: DocumentBuilder): Operation['requestBody'] {
  const inPath = pathParametersOf(route);
  const fields = fieldContracts(route.rpc.requestType);
  return {
    required: fields.some(({ name, required }) => required && !inPath.has(name)),
    content: jsonContent(bodySchema(route, builder)),
  };
}

/** Fields that the path has are not repeated in the body. */
function bodySchema(route: Route, { schemas }: DocumentBuilder): Schema {
  if (route.body !== '*') {
    return selected(route.rpc.requestType, route.body, 'request', schemas);
  }
  const inPath = pathParametersOf(route);
  return inPath.size === 0
    ? schemas.message(route.rpc.requestType, 'request')
    : schemas.body(route.rpc.requestType, inPath, route.operationId);
}

function successOf(route: Route, builder: DocumentBuilder): object {
  const { say, schemas } = builder;
  const headers = headerReferences([
    ...successHeaders,
    ...(route.idempotencyKey ? ['Idempotent-Replayed'] : []),
    ...(route.rpc.deprecated ? ['Deprecation'] : []),
    ...(route.successor !== undefined || route.canonical !== undefined ? ['Link'] : []),
  ]);
  if (route.successStatus === 204) {
    return { description: say('Done. There is no body.'), headers };
  }
  if (route.chunks !== undefined) {
    const example = builder.examples.of(route.rpc.responseType.name, 'chunk');
    return {
      description: say('A file.'),
      headers,
      content: { [route.chunks]: { schema: { type: 'string' }, example } },
    };
  }
  const schema = selected(route.rpc.responseType, route.responseBody, 'response', schemas);
  return { description: say('Success.'), headers, content: jsonContent(schema) };
}

function selected(
  type: Route['rpc']['requestType'],
  name: string,
  side: 'request' | 'response',
  schemas: DocumentBuilder['schemas'],
): Schema {
  const field = name === '' ? undefined : fieldContracts(type).find((candidate) => candidate.name === name);
  return field === undefined ? schemas.message(type, side) : schemas.field(field, side);
}

export function jsonContent(schema: Schema): Record<string, { schema: Schema }> {
  return { 'application/json': { schema } };
}
