import { rateLimitClasses } from './rate-limit-classes';
import type { RateLimitClass } from './rate-limit-classes';
import { ContractError } from './contract';
import type { Contract, Rpc } from './contract';
import { bindingsOf, parseTemplate } from './http-rule';
import type { HttpBinding, Segment } from './http-rule';

/** Routes with the access OPERATOR are served on the operator's port alone. */
export type Access = 'PUBLIC' | 'TOKEN' | 'ADMIN' | 'OPERATOR';

/** A REST route: one binding of one rpc, with what its options say about it. */
export interface Route extends HttpBinding {
  rpc: Rpc;
  segments: Segment[];
  access: Access;
  rateLimit: RateLimitClass;
  idempotencyKey: boolean;
  /** The service keeps the key in the transaction of the effect, so that the key is honoured without Redis too. */
  idempotencyKeyKept: boolean;
  successStatus: number;
  /** For a deprecated route: the path that replaces it. */
  successor?: string;
  summary: string;
  /** What the comment above the rpc tells API users. */
  description: string;
  /** The name of the operation in the OpenAPI document, and so of a method in generated clients. */
  operationId: string;
  /** The codes of errors that are its own. */
  errors: string[];
  /** The resource that errors name: "user" for /api/v1/users/…. */
  model: string;
  /** One of the additional_bindings of the rpc. */
  additional: boolean;
  /** For an alias: the path that it stands for. */
  canonical?: string;
  /** For a response in chunks: its content type. */
  chunks?: string;
  fileName?: string;
}

const textOf = (option: unknown): string => (typeof option === 'string' ? option : '');

const accesses: Record<string, Access> = {
  ACCESS_PUBLIC: 'PUBLIC',
  ACCESS_TOKEN: 'TOKEN',
  ACCESS_ADMIN: 'ADMIN',
  ACCESS_OPERATOR: 'OPERATOR',
};

/** All routes of the contract, or one error that names every problem of it. */
export function buildRoutes({ rpcs }: Contract): Route[] {
  const problems: string[] = [];
  const routes = new Map<string, Route>();
  for (const rpc of rpcs) {
    if (rpc.options['(google.api.http)'] === undefined) {
      continue;
    }
    try {
      for (const route of routesOf(rpc)) {
        const key = `${route.method} ${route.template.replace(/\{[^}]*\}/g, '{}')}`;
        const other = routes.get(key);
        if (other !== undefined) {
          throw new Error(`${route.method} ${route.template} already belongs to ${other.rpc.path}`);
        }
        routes.set(key, route);
      }
    } catch (error) {
      problems.push(`${rpc.service}.${rpc.method}: ${(error as Error).message}`);
    }
  }
  if (problems.length > 0) {
    throw new ContractError(problems);
  }
  return [...routes.values()];
}

function routesOf(rpc: Rpc): Route[] {
  const options = rpc.options['(sabia.api.v1.route)'] as Record<string, unknown> | undefined;
  if (options === undefined) {
    throw new Error('it has google.api.http but no sabia.api.v1.route: say who may call it');
  }
  const access = accesses[textOf(options['access'])];
  if (access === undefined) {
    throw new Error('its sabia.api.v1.route does not say who may call it');
  }
  if (rpc.streaming) {
    throw new Error('a streaming rpc cannot be a REST route');
  }
  const bindings = bindingsOf(rpc.options['(google.api.http)']);
  return bindings.map((binding, index) => {
    const segments = parseTemplate(binding.template);
    requireFields(rpc, binding, segments);
    requireChunks(rpc, options['chunks']);
    return {
      ...binding,
      rpc,
      segments,
      access,
      rateLimit: access === 'OPERATOR' ? 'OPERATOR' : rateLimitOf(options['rate_limit']),
      idempotencyKey: options['idempotency_key'] === true,
      idempotencyKeyKept: options['idempotency_key_kept'] === true,
      successStatus: Number(options['success_status'] ?? 200),
      successor: options['successor'] as string | undefined,
      summary: textOf(options['summary']),
      description: rpc.comment,
      operationId: operationIdOf(rpc, options['additional_operations'], index),
      errors: listOf(options['errors']),
      model: textOf(options['model']) || modelOf(segments),
      additional: index > 0,
      canonical: canonicalOf(options['canonical'], bindings, index),
      chunks: options['chunks'] as string | undefined,
      fileName: options['file_name'] as string | undefined,
    };
  });
}

/** proto-loader gives a single value of a repeated option without a list around it. */
const listOf = (option: unknown): string[] => (option === undefined ? [] : [option].flat().map(String));

function operationIdOf(rpc: Rpc, additional: unknown, index: number): string {
  const name = index === 0 ? rpc.method : listOf(additional)[index - 1];
  if (name === undefined) {
    throw new Error('its additional bindings need names: additional_operations');
  }
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** An additional binding with another method is no alias of the first one. */
function canonicalOf(option: unknown, [first, ...others]: HttpBinding[], index: number): string | undefined {
  if (typeof option === 'string') {
    return option;
  }
  return index > 0 && others[index - 1]?.method === first?.method ? first?.template : undefined;
}

function rateLimitOf(option: unknown): RateLimitClass {
  const name = textOf(option).replace(/^RATE_LIMIT_/, '');
  if (name === '' || name === 'UNSPECIFIED') {
    return 'OTHER';
  }
  if (!(name in rateLimitClasses)) {
    throw new Error(`its rate limit class ${name} is not known to the gateway`);
  }
  return name as RateLimitClass;
}

function requireFields(rpc: Rpc, binding: HttpBinding, segments: Segment[]): void {
  for (const segment of segments) {
    if ('parameter' in segment && rpc.requestType.fields[segment.parameter] === undefined) {
      throw new Error(`its path names "${segment.parameter}", which ${rpc.requestType.name} does not have`);
    }
  }
  if (binding.body !== '' && binding.body !== '*' && rpc.requestType.fields[binding.body] === undefined) {
    throw new Error(`its body is "${binding.body}", which ${rpc.requestType.name} does not have`);
  }
  if (binding.responseBody !== '' && rpc.responseType.fields[binding.responseBody] === undefined) {
    throw new Error(`its response_body is "${binding.responseBody}", which ${rpc.responseType.name} does not have`);
  }
}

function requireChunks({ requestType, responseType }: Rpc, chunks: unknown): void {
  const isWhole = requestType.fields['cursor'] && responseType.fields['cursor'] && responseType.fields['chunk'];
  if (chunks !== undefined && !isWhole) {
    throw new Error(
      `it answers in chunks: ${requestType.name} needs a cursor, ${responseType.name} a chunk and a cursor`,
    );
  }
}

function modelOf(segments: Segment[]): string {
  const words = segments.flatMap((segment) => ('literal' in segment ? [segment.literal] : []));
  const collection = words.find((word) => !/^(api|operator|v\d+)$/.test(word)) ?? 'request';
  return collection.replace(/s$/, '');
}
