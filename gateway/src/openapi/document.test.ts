import type { rateLimitClasses } from '../contract/rate-limit-classes';
import { docsPage } from '../pages/docs';
import { defaultProtoRoot, loadContract } from '../contract/contract';
import { buildRoutes } from '../contract/routes';
import { openApiDocument } from './document';

const routes = buildRoutes(loadContract([defaultProtoRoot()])).filter(({ access }) => access !== 'OPERATOR');
const limits = {
  PLACE_CALL: 15,
  DIALER: 15,
  HANGUP: 30,
  LIST_CALLS: 15,
  LOGIN: 10,
  OTHER: 60,
  CONSOLE: 600,
  OPERATOR: 600,
} satisfies Record<keyof typeof rateLimitClasses, number>;
const document = openApiDocument(routes, { publicUrl: 'https://api.example', limits });

describe('the OpenAPI document', () => {
  it('has every route once', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(operations).toHaveLength(routes.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(routes.length);
  });

  it('refers only to schemas that exist', () => {
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name!,
    );
    expect(references.length).toBeGreaterThan(10);
    expect(references.filter((name) => document.components.schemas[name] === undefined)).toEqual([]);
  });

  it('says what a route needs', () => {
    const calls = document.paths['/api/v1/calls']!;
    expect(calls['post']).toMatchObject({ security: [{ token: [] }], tags: ['telephony'] });
    expect(calls['post']!.description).toContain('15 a minute per extension and user');
    expect(calls['get']!.parameters.map(({ name }) => name)).toEqual(['page', 'filter', 'startDate', 'endDate']);
    expect(document.paths['/api/v1/dialer']!['post']!.deprecated).toBe(true);
    expect(document.paths['/api/v1/extensions']!['get']!.responses['200']).toMatchObject({
      content: { 'application/json': { schema: { type: 'array' } } },
    });
  });

  it('says what a request must have', () => {
    const { schemas } = document.components;
    expect(schemas['PlaceCallRequest']!['required']).toEqual(['called', 'extension']);
    expect(schemas['SignUpRequest']!['required']).toHaveLength(7);
    expect(schemas['CreateNextExtensionRequest']).not.toHaveProperty('required');
    const body = (path: string, method: string) => document.paths[path]![method]!.requestBody;
    expect(body('/api/v1/calls', 'post')).toMatchObject({ required: true });
    expect(body('/api/v1/extensions/next-available', 'post')).toMatchObject({ required: false });
  });

  it('says what an answer always has', () => {
    const { schemas } = document.components;
    expect(schemas['Call']!['required']).toEqual(expect.arrayContaining(['id', 'ended_at', 'metadata']));
    expect(schemas['PageMeta']!['required']).not.toContain('nextPage');
  });

  it('says what may be missing, and which values there are', () => {
    const properties = (name: string) => document.components.schemas[name]!['properties'] as Record<string, object>;
    expect(properties('CallMoney')['rate']).toEqual({
      anyOf: [{ $ref: '#/components/schemas/CallRate' }, { type: 'null' }],
    });
    expect(properties('ListCallsResponse')['meta']).toEqual({ $ref: '#/components/schemas/PageMeta' });
    const { parameters, responses } = document.paths['/api/v1/calls/export']!['get']!;
    expect(parameters.map(({ name }) => name)).toEqual(['filter', 'startDate', 'endDate']);
    expect(responses['200']).toMatchObject({ content: { 'text/csv': { schema: { type: 'string' } } } });
    const causes = expect.arrayContaining(['NORMAL_CLEARING', 'ALLOTTED_TIMEOUT', null]) as unknown;
    expect(properties('Call')['hangup_cause']).toEqual({ type: ['string', 'null'], enum: causes });
  });

  it('describes page, filter and Idempotency-Key wherever they are taken', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const parameters = (name: string) =>
      operations.flatMap((operation) => operation.parameters.filter((parameter) => parameter.name === name));
    expect(parameters('page')).toHaveLength(4);
    for (const page of parameters('page')) {
      expect(page).toMatchObject({ required: true, schema: { minimum: 1, maximum: 2_147_483_647, default: 1 } });
    }
    expect(parameters('filter')).toHaveLength(9);
    for (const filter of parameters('filter')) {
      expect(filter).toMatchObject({
        required: false,
        schema: { contentMediaType: 'application/json', contentSchema: { $ref: '#/components/schemas/Filter' } },
      });
    }
    expect(parameters('If-None-Match')).toEqual([expect.objectContaining({ in: 'header', required: false })]);
    expect(document.components.schemas['UpsertIntegrationRequest']).not.toHaveProperty('properties.createOnly');
    const keyed = routes.filter(({ idempotencyKey }) => idempotencyKey);
    expect(parameters('Idempotency-Key')).toHaveLength(keyed.length);
    expect(parameters('Idempotency-Key')[0]).toMatchObject({ in: 'header', schema: { minLength: 1, maxLength: 255 } });
  });

  it('becomes a page without anything from elsewhere', () => {
    const page = docsPage(document);
    expect(page).toContain('/api/v1/calls/{id}/hangup');
    expect(page).not.toMatch(/<script|src="http|href="http/);
  });
});
