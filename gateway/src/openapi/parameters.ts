import { fieldContracts } from '../contract/field-contract';
import type { FieldContract } from '../contract/field-contract';
import type { Route } from '../contract/routes';
import type { Examples } from './examples';
import type { Schema, SchemaCollection } from './schemas';
import type { Say } from './texts';

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: Schema;
  example: unknown;
}

export interface ParameterTools {
  schemas: SchemaCollection;
  examples: Examples;
  say: Say;
}

export function parametersOf(route: Route, tools: ParameterTools): Parameter[] {
  const { schemas, say } = tools;
  const { requestType } = route.rpc;
  const fields = fieldContracts(requestType).filter(({ ifNoneMatch }) => !ifNoneMatch);
  const inPath = pathParametersOf(route);
  // The cursor of a response in chunks is between the gateway and the service.
  const isSent = ({ name }: FieldContract): boolean => route.chunks === undefined || name !== 'cursor';
  const inQuery =
    route.body === '*'
      ? []
      : fields.filter((field) => !inPath.has(field.name) && field.name !== route.body && isSent(field));

  const parameter =
    (place: 'path' | 'query') =>
    (field: FieldContract): Parameter => ({
      // A path parameter has the name of the proto, a query parameter the JSON name.
      name: place === 'path' ? field.name : field.jsonName,
      in: place,
      // The published contract requires a page, although a missing one is read as 1.
      required: place === 'path' || field.required || field.format === 'PAGE',
      description: say(field.comment),
      schema: schemas.field(field, 'request'),
      example: schemas.exampleOf(requestType, field),
    });
  return [
    ...fields.filter(({ name }) => inPath.has(name)).map(parameter('path')),
    ...inQuery.map(parameter('query')),
    ...inQuery.flatMap((field) => simpleFilters(field, route, tools)),
    ...headersOf(route, say),
  ];
}

export const pathParametersOf = ({ segments }: Route): ReadonlySet<string> =>
  new Set(segments.flatMap((segment) => ('parameter' in segment ? [segment.parameter] : [])));

/** The plain parameters that filter a list. Those that are only other names are accepted and not listed. */
function simpleFilters(field: FieldContract, route: Route, { examples, say }: ParameterTools): Parameter[] {
  if (field.format !== 'FILTER') {
    return [];
  }
  const names = field.parameters.filter((text) => !text.includes('='));
  const parameter = (name: string, description: string, schema: Schema, example: unknown): Parameter => ({
    ...{ name, in: 'query', required: false, description, schema, example },
  });
  const count: Schema = { type: 'integer', format: 'int32', minimum: 0 };
  return [
    ...names.map((name) =>
      parameter(
        name,
        say('Only those whose `{name}` is this. A condition of `filter` on the same field wins.', { name }),
        { type: 'string' },
        examples.of(route.rpc.requestType.name, name),
      ),
    ),
    ...(isList(route)
      ? [
          parameter(
            'limit',
            say('How many, or the size of a page: 50 for pages unless it is given, at most 1000.'),
            count,
            50,
          ),
          parameter('offset', say('How many to pass over before the first.'), count, 0),
          parameter('order', say('A field and ASC or DESC; several with commas.'), { type: 'string' }, 'id DESC'),
        ]
      : []),
  ];
}

/** Of an export and a summary only the conditions count. */
function isList({ rpc: { responseType }, responseBody }: Route): boolean {
  return responseType.fields[responseBody === '' ? 'data' : responseBody]?.repeated === true;
}

function headersOf(route: Route, say: Say): Parameter[] {
  const header = (name: string, description: string, schema: Schema, example: string): Parameter => ({
    ...{ name, in: 'header', required: false, description: say(description), schema, example },
  });
  const hasCondition = fieldContracts(route.rpc.requestType).some(({ ifNoneMatch }) => ifNoneMatch);
  return [
    ...(hasCondition
      ? [
          header(
            'If-None-Match',
            '`*`: only creates, and changes nothing that exists.',
            { type: 'string', enum: ['*'] },
            '*',
          ),
        ]
      : []),
    ...(route.idempotencyKey
      ? [
          header(
            'Idempotency-Key',
            'Any text that is new for each thing you want done, such as a uuid. A repetition within 24 hours does nothing again and gets the first answer.',
            { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
            '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f',
          ),
        ]
      : []),
  ];
}
