import { rateLimitClasses } from '../contract/rate-limit-classes';
import type { Limits } from '../limits/allowance';
import { fieldContracts } from '../contract/field-contract';
import type { FieldContract } from '../contract/field-contract';
import type { Route } from '../contract/routes';
import { createSchemaCollection, fieldSchema, filterSchema } from './schemas';
import type { Schema, SchemaCollection } from './schemas';

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  deprecated?: boolean;
  security: object[];
  parameters: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, object>;
}

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: object; responses: object };
}

/**
 * Builds the OpenAPI 3.1 document from the routes themselves, so that it cannot differ from what is served. `further`: paths that no
 * rpc declares.
 */
export function openApiDocument(
  routes: Route[],
  options: { publicUrl: string; limits: Limits },
  further: OpenApiDocument['paths'] = {},
): OpenApiDocument {
  const schemas = createSchemaCollection();
  const paths: OpenApiDocument['paths'] = { ...further };
  for (const route of routes) {
    const operations = (paths[route.template] ??= {});
    operations[route.method.toLowerCase()] = operationOf(route, schemas, options.limits);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sabiá',
      version: '1',
      description:
        'Voice calls, extensions, credit, users and webhooks. Send your access token in the Authorization header.',
    },
    servers: [{ url: options.publicUrl }],
    paths,
    components: {
      schemas: { ...schemas.all, Filter: filterSchema, Error: errorSchema },
      securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'Authorization' } },
      responses: {
        Error: {
          description: 'An error',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    },
  };
}

function operationOf(route: Route, schemas: SchemaCollection, limits: Limits): Operation {
  const fields = fieldContracts(route.rpc.requestType);
  const inPath = new Set(route.segments.flatMap((segment) => ('parameter' in segment ? [segment.parameter] : [])));
  // The cursor of a response in chunks is between the gateway and the service.
  const isSent = ({ name }: FieldContract): boolean => route.chunks === undefined || name !== 'cursor';
  const inQuery =
    route.body === '*'
      ? []
      : fields.filter((field) => !inPath.has(field.name) && field.name !== route.body && isSent(field));
  const parameter = (place: 'path' | 'query') => (field: (typeof fields)[number]) => ({
    // A path parameter has the name of the proto, a query parameter the JSON name.
    name: place === 'path' ? field.name : field.jsonName,
    in: place,
    // The published contract requires it, although a missing page is read as 1.
    required: place === 'path' || field.required || field.format === 'PAGE',
    schema: fieldSchema(field, schemas.request),
  });
  return {
    operationId: route.additional
      ? `${route.rpc.method}_${route.method.toLowerCase()}${operationSuffix(route)}`
      : route.rpc.method,
    summary: route.summary,
    description: describe(route, limits),
    tags: [route.rpc.serviceName],
    ...(route.rpc.deprecated ? { deprecated: true } : {}),
    security: route.access === 'PUBLIC' ? [] : [{ token: [] }],
    parameters: [
      ...fields.filter(({ name }) => inPath.has(name)).map(parameter('path')),
      ...inQuery.map(parameter('query')),
      ...(fields.some(({ ifNoneMatch }) => ifNoneMatch)
        ? [{ name: 'If-None-Match', in: 'header', required: false, schema: anyExistingSchema }]
        : []),
      ...(route.idempotencyKey ? [{ name: 'Idempotency-Key', in: 'header', required: false, schema: keySchema }] : []),
    ],
    ...(route.body === '' ? {} : { requestBody: bodyOf(route, fields, schemas) }),
    responses: {
      [route.successStatus]:
        route.successStatus === 204
          ? { description: 'Done' }
          : { description: 'Success', content: contentOf(route, schemas) },
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

function operationSuffix({ template }: Route): string {
  return template.replace(/^\/api\/v\d+/, '').replace(/[^a-z0-9]+/gi, '_');
}

function describe({ access, rateLimit, idempotencyKey }: Route, limits: Limits): string {
  const counted = { ip: 'IP address', user: 'user', 'user+extension': 'extension and user' }[
    rateLimitClasses[rateLimit].by
  ];
  return [
    {
      PUBLIC: 'Needs no token.',
      TOKEN: 'Needs an access token.',
      ADMIN: 'Needs the token of an ADMIN.',
      OPERATOR: 'Needs the token of an operator.',
    }[access],
    `At most ${limits[rateLimit]} a minute per ${counted}.`,
    ...(idempotencyKey ? ['Honours the Idempotency-Key header for 24 hours.'] : []),
  ].join(' ');
}

const anyExistingSchema: Schema = {
  type: 'string',
  enum: ['*'],
  description: 'Creates, and updates nothing that exists',
};
const keySchema: Schema = { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' };

/** A missing body is read as {}, so the body is required only where a field is. */
function bodyOf({ rpc, body }: Route, fields: FieldContract[], schemas: SchemaCollection): Operation['requestBody'] {
  const schema = selected(rpc.requestType, body === '*' ? '' : body, schemas.request);
  return { required: fields.some(({ required }) => required), content: jsonContent(schema) };
}

function contentOf(route: Route, schemas: SchemaCollection): Record<string, { schema: Schema }> {
  return route.chunks === undefined
    ? jsonContent(responseSchema(route, schemas))
    : { [route.chunks]: { schema: { type: 'string' } } };
}

function responseSchema(route: Route, schemas: SchemaCollection): Schema {
  return selected(route.rpc.responseType, route.responseBody, schemas.response);
}

function selected(type: Route['rpc']['requestType'], name: string, reference: SchemaCollection['request']): Schema {
  const field = name === '' ? undefined : fieldContracts(type).find((candidate) => candidate.name === name);
  return field === undefined ? reference(type) : fieldSchema(field, reference);
}

function jsonContent(schema: Schema): Record<string, { schema: Schema }> {
  return { 'application/json': { schema } };
}

const errorSchema: Schema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['statusCode', 'name', 'message', 'code', 'errorCode', 'requestId'],
      properties: {
        statusCode: { type: 'integer' },
        name: { type: 'string' },
        message: { type: 'string' },
        code: { type: 'string' },
        errorCode: { type: 'string', description: 'The same as code' },
        details: {
          type: 'object',
          properties: {
            context: { type: 'string' },
            codes: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
            messages: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
          },
        },
        requestId: { type: 'string' },
      },
    },
  },
};
