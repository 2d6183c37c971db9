import fc from 'fast-check';
import { startCallingUser, type CallingUser } from '../src/calling-user';
import { openEvents } from '../src/event-source';
import { eventually } from '../src/eventually';
import { operationsOf, type ContractDocument, type ContractOperation } from '../src/openapi/contract-operations';
import { createDocumentValidator, type Schema, type Validate } from '../src/openapi/document-validator';
import { fittingRequests, type Fitting } from '../src/openapi/fitting-requests';
import { brokenValues, validValues } from '../src/openapi/schema-arbitrary';
import type { ApiAnswer } from '../src/stack-client';
import { testStack } from '../src/test-stack';
import { integrate } from '../src/webhook-integrations';
import { openWebhookInbox, type WebhookInbox } from '../src/webhook-inbox';

const stack = testStack();
const RUNS = 6;
const ramal = '2000';

let user: CallingUser;
let inbox: WebhookInbox;
let document: ContractDocument;
let validate: Validate;
/** Ids that exist, by the beginning of the path that takes them. */
let known: Record<string, string[]>;
let fitting: Record<string, () => Promise<Fitting>>;

beforeAll(async () => {
  [user, inbox] = await Promise.all([startCallingUser(stack, { recorded: true, ramal }), openWebhookInbox()]);
  document = (await user.api().get<ContractDocument>('/openapi.json', { outsideApi: true })).body;
  validate = createDocumentValidator(document);
});

afterAll(async () => {
  await user?.stop();
  await inbox?.close();
});

const resolve = (reference: string): Schema => document.components.schemas[reference.split('/').at(-1)!]!;

test('webhooks and live events of a call are as the document says', async () => {
  const types = Object.keys(document.webhooks);
  const settings = { webhookTypes: types };
  const { id } = await integrate(user.api(), { gateway: 'contract', url: inbox.urlOf('/contract'), settings });
  const events = await openEvents(stack.gatewayUrl, { token: user.token });
  const callId = await user.place(stack.testNumbers.answer, '{"lead":7}');
  await user.untilTalked(callId);
  await user.api().post(`/calls/${callId}/hangup`);
  const webhooks = await inbox.waitFor('/contract', callId, types.length);
  for (const { payload } of webhooks) {
    const { schema } = document.webhooks[String(payload['eventType'])]!.post.requestBody.content['application/json']!;
    expect([payload['eventType'], validate(schema, payload)]).toEqual([payload['eventType'], undefined]);
  }
  expect(webhooks.map(({ payload }) => payload['eventType']).sort()).toEqual([...types].sort());
  const awaited = ['call.ended', 'call.rated', 'balance.changed', 'delivery.delivered'];
  await eventually(() => awaited.every((name) => events.heard.some(({ event }) => event === name)));
  events.close();
  for (const { event, data } of events.heard) {
    expect([event, validate({ $ref: '#/components/schemas/LiveEvent' }, data)]).toEqual([event, undefined]);
  }

  const [extension] = (await user.api().get<{ id: number }[]>('/extensions')).body;
  const [delivery] = (await user.api().get<{ data: { id: string }[] }>(`/integrations/${id}/deliveries?page=1`)).body
    .data;
  known = {
    '/api/v1/calls/': [callId],
    '/api/v1/extensions/': [String(extension!.id)],
    '/api/v1/integrations/': [String(id), delivery!.id],
    '/api/v1/channels/': [callId],
    '/api/v1/charges/': ['1'],
    '/api/v1/users/': [(await user.api().get<{ uuid: string }>('/users/me')).body.uuid],
  };
  const webhookUrl = inbox.urlOf('/contract');
  fitting = fittingRequests({ stack, user, ramal, extensionId: extension!.id, callId, integrationId: id, webhookUrl });
});

/** What ends things that others need comes late, the end of the user itself last. */
const latenessOf = ({ method, operationId }: ContractOperation): number =>
  operationId === 'deleteUser' ? 2 : method === 'DELETE' ? 1 : 0;

const operationsInOrder = (): ContractOperation[] =>
  operationsOf(document)
    // A stream without end, which the test above has read.
    .filter(({ operationId }) => operationId !== 'followEvents')
    .sort((one, other) => latenessOf(one) - latenessOf(other));

test('every operation succeeds with the request that the document shows, about things that exist', async () => {
  const refused: string[] = [];
  for (const operation of operationsInOrder()) {
    const { token, ...parts } = (await fitting[operation.operationId]?.()) ?? {};
    const answer = await send(operation, exampleOf(operation, parts), token);
    const problem = answer.status < 400 ? problemOf(operation, answer) : answer.text;
    if (problem !== undefined) refused.push(`${operation.operationId}: ${answer.status} ${problem}`);
  }
  expect(refused).toEqual([]);
});

test('no request of any kind gets a 5xx, or an answer that contradicts the document', async () => {
  const problems: unknown[] = [];
  for (const operation of operationsInOrder()) {
    const check = async (request: Request): Promise<void> => {
      const answer = await send(operation, request);
      const problem = problemOf(operation, answer);
      if (problem !== undefined) {
        throw new Error(
          `${operation.method} ${operation.path} ${JSON.stringify(request).slice(0, 2_000)}\n→ ${answer.status} ${answer.text.slice(0, 500)}\n${problem}`,
        );
      }
    };
    for (const kind of ['valid', 'broken'] as const) {
      const { failed, counterexample, errorInstance } = await fc.check(
        fc.asyncProperty(requestsOf(operation, kind), check),
        { numRuns: RUNS, endOnFailure: true },
      );
      if (failed) problems.push(errorInstance instanceof Error ? errorInstance.message : counterexample);
    }
  }
  expect(problems).toEqual([]);
});

interface Request {
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body?: unknown;
}

function requestsOf(operation: ContractOperation, kind: 'valid' | 'broken'): fc.Arbitrary<Request> {
  const make = kind === 'valid' ? validValues : brokenValues;
  const given = (place: string) => {
    const entries = operation.parameters.filter((parameter) => parameter.in === place);
    return fc.record(Object.fromEntries(entries.map(({ name, schema }) => [name, make(schema, resolve)])), {
      requiredKeys: kind === 'valid' ? entries.filter(({ required }) => required).map(({ name }) => name) : [],
    });
  };
  const ids = idsFor(operation);
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  const segments = fc.tuple(
    ...inPath.map(({ schema }, index) =>
      fc.oneof(
        { weight: 3, arbitrary: fc.constant(ids[index] ?? ids[0]!) },
        { weight: 1, arbitrary: make(schema, resolve).map((value) => textOf(value) || 'x') },
      ),
    ),
  );
  const body = operation.body === undefined ? fc.constant(undefined) : make(operation.body, resolve);
  return fc
    .record({ segments, query: given('query'), headers: given('header'), body })
    .map((parts) => requestOf(operation, parts));
}

const idsFor = ({ path }: ContractOperation): string[] =>
  Object.entries(known).find(([beginning]) => path.startsWith(beginning))?.[1] ?? ['x'];

/** The request that the document itself shows, about things that exist. */
function exampleOf(operation: ContractOperation, fittingParts: Partial<RequestParts>): Request {
  const given = (place: string) =>
    Object.fromEntries(
      operation.parameters.filter((parameter) => parameter.in === place).map(({ name, example }) => [name, example]),
    );
  const { $ref = '' } = (operation.body ?? {}) as { $ref?: string };
  const body = $ref === '' ? undefined : (resolve($ref)['examples'] as unknown[])[0];
  const example = { segments: idsFor(operation), query: given('query'), headers: given('header'), body };
  return requestOf(operation, { ...example, ...fittingParts });
}

interface RequestParts {
  segments: string[];
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  body: unknown;
}

function requestOf({ path, parameters }: ContractOperation, { segments, query, headers, body }: RequestParts): Request {
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  return {
    path: inPath.reduce(
      (filled, { name }, index) =>
        filled.replace(`{${name}}`, encodeURIComponent((segments[index] ?? segments[0] ?? 'x').toWellFormed())),
      path,
    ),
    query: textsOf(query),
    headers: Object.fromEntries(
      Object.entries(textsOf(headers)).map(([name, value]) => [name, value.replace(/[^ -~]/g, '?')]),
    ),
    ...(body === undefined ? {} : { body }),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const textsOf = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, textOf(value)]));

/** Requests that end their own token get one of their own. */
async function send({ method, operationId }: ContractOperation, request: Request, token?: string): Promise<ApiAnswer> {
  const { path, query, headers, body } = request;
  const ends = ['logout', 'endSession', 'changePassword', 'updateUser'].includes(operationId);
  const own = token ?? (ends ? await newToken() : undefined);
  const api = own === undefined ? user.api() : user.api().withToken(own);
  return api.request(method, path, { outsideApi: true, query, headers, ...(body === undefined ? {} : { body }) });
}

async function newToken(): Promise<string> {
  return (await user.api().post<{ id: string }>('/users/accessTokens', { ttl: 600 })).body.id;
}

function problemOf(operation: ContractOperation, answer: ApiAnswer): string | undefined {
  const { status, headers, body } = answer;
  if (status >= 500) {
    return 'a 5xx';
  }
  const response = operation.responses[status];
  if (response === undefined) {
    return `the document has no ${status} here, only ${Object.keys(operation.responses).join(', ')}`;
  }
  for (const name of ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) {
    if (headers[name] === undefined) return `there is no ${name}`;
  }
  if (response.content === undefined) {
    return answer.text === '' ? undefined : 'the document has no body here';
  }
  const type = headers['content-type']?.split(';')[0] ?? '';
  const content = response.content[type];
  if (content === undefined) {
    return `the document has no ${type} here`;
  }
  if (type !== 'application/json' || operation.method === 'HEAD') {
    return undefined;
  }
  const code = (body as { error?: { code: string } }).error?.code;
  const codes = Object.values(content.examples ?? {}).map(
    ({ $ref }) => document.components.examples[$ref.split('/').at(-1)!]!.value.error.code,
  );
  if (codes.length > 0 && !codes.includes(code ?? '')) {
    return `the document has no ${code} here, only ${codes.join(', ')}`;
  }
  return validate(content.schema, body);
}
