import type { rateLimitClasses } from '../middleware/rate-limit-classes';
import { docsPage } from '../pages/docs';
import { defaultProtoRoot, loadContract } from '../transcoder/contract';
import { buildRoutes } from '../transcoder/routes';
import { openApiDocument } from './document';

const routes = buildRoutes(loadContract([defaultProtoRoot()]));
const limits = { PLACE_CALL: 15, DIALER: 15, HANGUP: 30, LIST_CALLS: 15, LOGIN: 10, OTHER: 60 } satisfies Record<
  keyof typeof rateLimitClasses,
  number
>;
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

  it('becomes a page without anything from elsewhere', () => {
    const page = docsPage(document);
    expect(page).toContain('/api/v1/calls/{id}/hangup');
    expect(page).not.toMatch(/<script|src="http|href="http/);
  });
});
