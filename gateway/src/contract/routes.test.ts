import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fixtureRoots } from '../../test/fixtures/roots';
import { ContractError, defaultProtoRoot, discoverServices, loadContract } from './contract';
import { buildRoutes } from './routes';

const routes = buildRoutes(loadContract([defaultProtoRoot()]));
const names = routes.map(({ method, template }) => `${method} ${template}`);

describe('the routes of the protos', () => {
  it('discovers the services', () => {
    expect(discoverServices([defaultProtoRoot()])).toEqual([
      'billing',
      'extensions',
      'identity',
      'telephony',
      'webhook',
    ]);
  });

  it('has every route of the interface', () => {
    const prefix = (route: string): string => route.replace(' ', ' /api/v1');
    expect(names).toEqual(
      expect.arrayContaining(
        [
          'POST /calls',
          'POST /dialer',
          'GET /calls',
          'POST /calls/{id}/hangup',
          'POST /charges',
          'GET /charges',
          'PATCH /charges/{id}/cancel',
          'GET /accounts/financial',
          'POST /accounts/financial',
          'PUT /accounts/financial',
          'PATCH /accounts',
          'POST /accounts/signup',
          'POST /extensions',
          'PATCH /extensions',
          'POST /extensions/next-available',
          'GET /extensions',
          'PATCH /integrations',
          'GET /integrations',
          'GET /users',
          'POST /users',
          'PATCH /users',
          'GET /users/me',
          'POST /users/accessTokens',
          'POST /users/login',
          'POST /users/logout',
        ].map(prefix),
      ),
    );
  });

  it('reads the options', () => {
    const dialer = routes.find(({ template }) => template === '/api/v1/dialer')!;
    expect(dialer).toMatchObject({
      access: 'TOKEN',
      rateLimit: 'DIALER',
      idempotencyKey: true,
      successStatus: 200,
      successor: '/api/v1/calls',
      model: 'dialer',
    });
    expect(dialer.rpc.deprecated).toBe(true);
    expect(routes.find(({ template }) => template === '/api/v1/users')).toMatchObject({
      model: 'user',
      rateLimit: 'OTHER',
    });
    // Not that of the path, which would be the account itself.
    expect(routes.find(({ template }) => template === '/api/v1/accounts/financial')?.model).toBe('financialAccount');
  });

  it('builds the routes of a service that the gateway has no code for', () => {
    const more = buildRoutes(loadContract(fixtureRoots)).map(({ method, template }) => `${method} ${template}`);
    expect(more).toEqual(
      expect.arrayContaining(['POST /api/v1/tools', 'PUT /api/v1/tools/made', 'PATCH /api/v1/tools/{id}/use']),
    );
    expect(more).toHaveLength(names.length + 10);
  });
});

describe('a contract that cannot be served', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'sabia-contract-'));
  afterAll(() => rmSync(root, { recursive: true }));

  function declare(rpcs: string): void {
    const folder = path.join(root, 'sabia', 'broken', 'v1');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      path.join(folder, 'service.proto'),
      `syntax = "proto3"; package sabia.broken.v1;
       import "google/api/annotations.proto"; import "sabia/api/v1/options.proto";
       message M { string id = 1; }
       service BrokenService { ${rpcs} }`,
    );
  }

  function problemsOf(rpcs: string): string {
    declare(rpcs);
    try {
      buildRoutes(loadContract([root, defaultProtoRoot()]));
      return '';
    } catch (error) {
      expect(error).toBeInstanceOf(ContractError);
      return (error as Error).message;
    }
  }

  it('names a proto that is imported and not there', () => {
    declare('');
    expect(() => loadContract([root])).toThrow(`google/api/annotations.proto is not below ${root}`);
  });

  const route = 'option (sabia.api.v1.route) = {access: ACCESS_TOKEN};';

  it.each([
    ['rpc A(M) returns (M) { option (google.api.http) = {get: "/x"}; }', /no sabia.api.v1.route/],
    [
      'rpc A(M) returns (M) { option (google.api.http) = {get: "/x"}; option (sabia.api.v1.route) = {summary: "s"}; }',
      /who may call/,
    ],
    [`rpc A(M) returns (M) { option (google.api.http) = {get: "/x/{nothing}"}; ${route} }`, /"nothing"/],
    [
      `rpc A(M) returns (M) { option (google.api.http) = {get: "/x" response_body: "nothing"}; ${route} }`,
      /response_body/,
    ],
    [`rpc A(M) returns (M) { option (google.api.http) = {post: "/x" body: "nothing"}; ${route} }`, /body is "nothing"/],
    [`rpc A(M) returns (M) { option (google.api.http) = {get: "/x/{id=a/**}"}; ${route} }`, /neither a word/],
    [`rpc A(M) returns (stream M) { option (google.api.http) = {get: "/x"}; ${route} }`, /streaming/],
    [`rpc A(M) returns (M) { option (google.api.http) = {get: "/api/v1/calls"}; ${route} }`, /already belongs/],
  ])('%s', (rpc, problem) => {
    expect(problemsOf(rpc)).toMatch(problem);
  });
});
