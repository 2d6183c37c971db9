import { errorCatalogue } from './error-catalogue';
import type { SchemaCollection, Schema } from './schemas';
import type { Say } from './texts';

export interface ErrorResponses {
  /** The error responses of an operation, by status. */
  of(codes: readonly string[]): Record<string, object>;
  /** The errors of which each is described once. */
  responses: Record<string, object>;
  examples: Record<string, object>;
}

const REQUEST_ID = '0f6b3c0e-8f43-4b0c-9a51-0a3f5f6f0d11';

/** Responses that most operations share, each with all the codes that it can have. */
const shared: Record<string, { name: string; codes: string[] }> = {
  401: { name: 'Unauthorized', codes: ['AUTHORIZATION_REQUIRED', 'INVALID_TOKEN'] },
  403: {
    name: 'Forbidden',
    codes: ['ACCESS_DENIED', 'ACCOUNT_SUSPENDED', 'FOREIGN_ORIGIN', 'CONSOLE_HEADER_REQUIRED'],
  },
  404: { name: 'NotFound', codes: ['MODEL_NOT_FOUND'] },
  413: { name: 'PayloadTooLarge', codes: ['PAYLOAD_TOO_LARGE'] },
  415: { name: 'UnsupportedMediaType', codes: ['UNSUPPORTED_MEDIA_TYPE'] },
  422: { name: 'Invalid', codes: ['VALIDATION_ERROR'] },
  429: { name: 'RateLimited', codes: ['RATE_LIMITED'] },
  500: { name: 'InternalError', codes: ['INTERNAL_ERROR'] },
  503: { name: 'Unavailable', codes: ['SERVICE_UNAVAILABLE'] },
  504: { name: 'TimedOut', codes: ['GATEWAY_TIMEOUT'] },
};

/** Errors of requests that reached no route. No operation has them. */
export const errorsWithoutRoute = [
  'BAD_REQUEST',
  'HOST_REQUIRED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'EXPECTATION_FAILED',
  'UPGRADE_REQUIRED',
  'HEADERS_TOO_LARGE',
  'NOT_IMPLEMENTED',
];

export function createErrorResponses(say: Say, schemas: SchemaCollection): ErrorResponses {
  const error = schemas.add('Error', errorSchema(say));
  schemas.add('ErrorCode', errorCodeSchema(say));

  const responseOf = (status: string, codes: readonly string[]): object => ({
    description: [...codes]
      .map((code) => `\`${codeOf(code)}\`: ${say(errorCatalogue[code]!.description)}`)
      .join('\n\n'),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(status === '429' || status === '503' ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } : {}),
      ...(status === '429'
        ? Object.fromEntries(
            ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'].map((name) => [
              name,
              { $ref: `#/components/headers/${name}` },
            ]),
          )
        : {}),
    },
    content: {
      'application/json': {
        schema: error,
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  });

  return {
    of(codes) {
      const byStatus: Record<string, string[]> = {};
      for (const code of new Set(codes)) {
        const { status } = errorCatalogue[code] ?? unknownCode(code);
        (byStatus[status] ??= []).push(code);
      }
      return Object.fromEntries(
        Object.entries(byStatus).map(([status, own]) => {
          const common = shared[status];
          const isCommon = common?.codes.length === own.length && own.every((code) => common.codes.includes(code));
          return [status, isCommon ? { $ref: `#/components/responses/${common.name}` } : responseOf(status, own)];
        }),
      );
    },
    responses: Object.fromEntries(
      Object.entries(shared).map(([status, { name, codes }]) => [name, responseOf(status, codes)]),
    ),
    examples: Object.fromEntries(
      Object.entries(errorCatalogue)
        .filter(([name]) => !errorsWithoutRoute.includes(name))
        .map(([name, { description }]) => [
          name,
          { summary: codeOf(name), description: say(description), value: exampleOf(name) },
        ]),
    ),
  };
}

function unknownCode(code: string): never {
  throw new Error(`${code} is not in the catalogue of errors`);
}

const codeOf = (name: string): string => errorCatalogue[name]?.code ?? name;

/** The body of an error as clients get it. */
export function exampleOf(name: string): object {
  const { status: statusCode, name: errorName, message } = errorCatalogue[name]!;
  const code = codeOf(name);
  const details =
    code === 'VALIDATION_ERROR'
      ? { details: { context: 'call', codes: { called: ['presence'] }, messages: { called: ["can't be blank"] } } }
      : {};
  return {
    error: { statusCode, name: errorName, message, code, errorCode: code, ...details, requestId: REQUEST_ID },
  };
}

function errorCodeSchema(say: Say): Schema {
  const codes = [...new Set(Object.keys(errorCatalogue).map(codeOf))];
  const lines = Object.entries(errorCatalogue).map(
    ([name, { status, description }]) => `- \`${codeOf(name)}\` (${status}): ${say(description)}`,
  );
  return {
    type: 'string',
    enum: codes,
    description: [
      say('What went wrong, for programs. Go by this and by the status, not by the message. New codes may come.'),
      '',
      ...lines,
    ].join('\n'),
    examples: ['VALIDATION_ERROR'],
  };
}

function errorSchema(say: Say): Schema {
  const code = { $ref: '#/components/schemas/ErrorCode' };
  const text = (description: string, example: string): Schema => ({
    type: 'string',
    description: say(description),
    examples: [example],
  });
  const lists = (description: string, example: object): Schema => ({
    type: 'object',
    description: say(description),
    additionalProperties: { type: 'array', items: { type: 'string' } },
    examples: [example],
  });
  const example = exampleOf('VALIDATION_ERROR') as { error: { message: string } };
  return {
    type: 'object',
    description: say('Every error has this shape.'),
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        description: say('What went wrong.'),
        required: ['statusCode', 'name', 'message', 'code', 'errorCode', 'requestId'],
        properties: {
          statusCode: {
            type: 'integer',
            description: say('The HTTP status, once more.'),
            minimum: 400,
            maximum: 599,
            examples: [422],
          },
          name: text('The kind of error, in the words of LoopBack.', 'ValidationError'),
          message: text('What went wrong, in English, for people.', example.error.message),
          code: { ...code, description: say('What went wrong, for programs.') },
          errorCode: { ...code, description: say('The same as `code`, for older clients.') },
          details: {
            type: 'object',
            description: say('Only with `VALIDATION_ERROR`: every field that is wrong.'),
            required: ['codes', 'messages'],
            properties: {
              context: text('The resource that the fields belong to.', 'call'),
              codes: lists(
                'By field, what is wrong with it, for programs: `presence`, `type`, `length`, `format`, `inclusion`, `range`, `uniqueness`.',
                { called: ['presence'] },
              ),
              messages: lists('By field, what is wrong with it, in English.', { called: ["can't be blank"] }),
            },
            examples: [{ context: 'call', codes: { called: ['presence'] }, messages: { called: ["can't be blank"] } }],
          },
          requestId: text(
            'Of this request, also in the header X-Request-Id. Quote it when you report a problem.',
            REQUEST_ID,
          ),
        },
        examples: [example.error],
      },
    },
    examples: [example],
  };
}
