import { rateLimitClasses } from '../contract/rate-limit-classes';
import { defaultProtoRoot, loadContract } from '../contract/contract';
import { buildRoutes } from '../contract/routes';
import type { Limits } from '../limits/allowance';
import { openApiDocument } from './document';
import { webhooksPart } from './webhooks';

const routes = buildRoutes(loadContract([defaultProtoRoot()])).filter(({ access }) => access !== 'OPERATOR');
const limits = Object.fromEntries(
  Object.entries(rateLimitClasses).map(([name, { limit }]) => [name, limit]),
) as unknown as Limits;
const document = openApiDocument(routes, { publicUrl: 'https://api.example', limits }, [webhooksPart(routes)]);
const { schemas } = document.components;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const properties = (name: string) => schemas[name]!['properties'] as Record<string, object>;

describe('the OpenAPI document', () => {
  it('has every route once', () => {
    expect(operations).toHaveLength(routes.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(routes.length);
  });

  it('names operations as methods of a client would be called', () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(names.filter((name) => !/^[a-z][A-Za-z]+$/.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['placeCall', 'listCalls', 'hangUp', 'updateExtension', 'login']));
  });

  it('refers only to what exists', () => {
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)];
    const components = document.components as unknown as Record<string, Record<string, object>>;
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter(([, kind, name]) => components[kind!]?.[name!] === undefined)).toEqual([]);
  });

  it('says what a route needs', () => {
    const calls = document.paths['/api/v1/calls']!;
    expect(calls['post']!.security).toContainEqual({ token: [] });
    expect(document.paths['/api/v1/users/login']!['post']!.security).toEqual([]);
    expect(calls['post']!.tags).toEqual(['calls']);
    expect(calls['post']!.description).toContain('15 a minute per extension and user');
    expect(calls['post']!['x-rate-limit']).toMatchObject({ class: 'PLACE_CALL', requests: 15, seconds: 60 });
    expect(calls['get']!.parameters.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['page', 'filter', 'startDate', 'endDate', 'from', 'to', 'limit', 'offset', 'order']),
    );
    expect(document.paths['/api/v1/dialer']!['post']!.deprecated).toBe(true);
    expect(document.paths['/api/v1/extensions']!['get']!.responses['200']).toMatchObject({
      content: { 'application/json': { schema: { type: 'array' } } },
    });
  });

  it('says what a request must have', () => {
    expect(schemas['PlaceCallRequest']!['required']).toEqual(['called', 'extension']);
    expect(schemas['SignUpRequest']!['required']).toHaveLength(7);
    expect(schemas['CreateExtensionRequest']!['required']).toEqual(['ramal']);
    expect(schemas['CreateNextExtensionRequest']).not.toHaveProperty('required');
    const body = (path: string, method: string) => document.paths[path]![method]!.requestBody;
    expect(body('/api/v1/calls', 'post')).toMatchObject({ required: true });
    expect(body('/api/v1/extensions/next-available', 'post')).toMatchObject({ required: false });
    expect(body('/api/v1/calls/{id}/hangup', 'post')).toBeUndefined();
  });

  it('leaves out of a body what the path has', () => {
    expect(Object.keys(properties('UpdateExtensionRequest'))).not.toContain('id');
    expect(Object.keys(properties('UpsertExtensionRequest'))).toContain('id');
    expect(Object.keys(properties('TransferCallRequest'))).toEqual(['to', 'from']);
  });

  it('says what an answer always has', () => {
    expect(schemas['Call']!['required']).toEqual(expect.arrayContaining(['id', 'ended_at', 'metadata']));
    expect(schemas['PageMeta']!['required']).not.toContain('nextPage');
  });

  it('says what may be missing, and which values there are', () => {
    expect(properties('CallMoney')['rate']).toMatchObject({
      anyOf: [{ $ref: '#/components/schemas/CallRate' }, { type: 'null' }],
    });
    expect(properties('ListCallsResponse')['meta']).toMatchObject({ $ref: '#/components/schemas/PageMeta' });
    expect(properties('Call')['started_at']).toMatchObject({ type: 'string', format: 'date-time' });
    expect(properties('Call')['ended_at']).toMatchObject({ type: ['string', 'null'], format: 'date-time' });
    expect(properties('Call')['hangup_cause']).toMatchObject({
      anyOf: [{ $ref: '#/components/schemas/HangupCause' }, { type: 'null' }],
    });
    expect(schemas['HangupCause']!['enum']).toEqual(expect.arrayContaining(['NORMAL_CLEARING', 'ALLOTTED_TIMEOUT']));
    const { parameters, responses } = document.paths['/api/v1/calls/export']!['get']!;
    expect(parameters.map(({ name }) => name)).not.toContain('limit');
    expect(responses['200']).toMatchObject({ content: { 'text/csv': { schema: { type: 'string' } } } });
  });

  it('has the limits of what can be sent', () => {
    expect(properties('CreateUserRequest')['password']).toMatchObject({
      minLength: 8,
      maxLength: 256,
      format: 'password',
    });
    expect(properties('CreateChargeRequest')['amount']).toMatchObject({
      exclusiveMinimum: 5,
      exclusiveMaximum: 50_000,
    });
    expect(properties('CreateExtensionRequest')['ramal']).toMatchObject({ pattern: '^[0-9]{3,10}$' });
    expect(properties('SignUpRequest')['user_quantity']).toMatchObject({
      enum: ['1-5', '6-10', '11-20', '21-50', '50+'],
    });
  });

  it('names the errors of each route', () => {
    const { responses } = document.paths['/api/v1/charges']!['post']!;
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '409', '413', '415', '422', '429', '500', '503', '504']),
    );
    expect(responses['409']).toMatchObject({
      content: {
        'application/json': {
          examples: { OPEN_CHARGE_EXISTS: { $ref: '#/components/examples/OPEN_CHARGE_EXISTS' } },
        },
      },
    });
    expect(document.paths['/api/v1/accounts/signup']!['post']!.responses).not.toHaveProperty('403');
  });

  it('describes page, filter and Idempotency-Key wherever they are taken', () => {
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
    expect(schemas['UpsertIntegrationRequest']).not.toHaveProperty('properties.createOnly');
    const keyed = routes.filter(({ idempotencyKey }) => idempotencyKey);
    expect(parameters('Idempotency-Key')).toHaveLength(keyed.length);
    expect(parameters('Idempotency-Key')[0]).toMatchObject({ in: 'header', schema: { minLength: 1, maxLength: 255 } });
  });

  it('has every webhook with the fields that it really has', () => {
    expect(Object.keys(document.webhooks ?? {})).toEqual([
      'channel-create',
      'channel-answer',
      'channel-hangup',
      'call-recorded',
      'call-priced',
    ]);
    expect(schemas['ChannelAnswer']).not.toHaveProperty('properties.endedAt');
    expect(schemas['ChannelHangup']!['required']).toEqual(expect.arrayContaining(['endedAt', 'hangupCause']));
    expect(schemas['ChannelHangup']!['required']).not.toContain('recordUrl');
    expect(properties('CallPriced')['eventType']).toMatchObject({ const: 'call-priced' });
  });
});
