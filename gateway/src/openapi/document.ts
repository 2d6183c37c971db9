import type { Language } from '@sabia/service-kit/brand/language';
import type { Route } from '../contract/routes';
import type { Limits } from '../limits/allowance';
import { createDocumentBuilder } from './builder';
import type { DocumentBuilder } from './builder';
import { filterSchema } from './filter-schema';
import { operationOf } from './operation';
import type { Operation } from './operation';
import { sharedHeaders } from './response-headers';
import { securitySchemes } from './security';
import type { Schema } from './schemas';
import { describeTags } from './tags';
import { sayIn } from './texts';
import type { Say } from './texts';

export type Paths = Record<string, Record<string, Operation>>;

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; summary: string; description: string; license: object };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Paths;
  webhooks?: Record<string, Record<string, object>>;
  components: {
    schemas: Record<string, Schema>;
    securitySchemes: Record<string, object>;
    headers: Record<string, object>;
    examples: Record<string, object>;
    responses: Record<string, object>;
  };
}

export interface DocumentOptions {
  publicUrl: string;
  limits: Limits;
  language?: Language;
  /** Instead of the catalogue of the language. */
  say?: Say;
}

/** A part of the document that no rpc declares. */
export type DocumentPart = (builder: DocumentBuilder) => Pick<OpenApiDocument, 'webhooks'> & { paths?: Paths };

/** Builds the OpenAPI 3.1 document from the routes themselves, so that it cannot differ from what is served. */
export function openApiDocument(
  routes: Route[],
  { publicUrl, limits, language = 'en', say = sayIn(language) }: DocumentOptions,
  parts: readonly DocumentPart[] = [],
): OpenApiDocument {
  const builder = createDocumentBuilder(say, limits);
  const { schemas, errors } = builder;
  schemas.add('Filter', filterSchema(say));
  const paths: Paths = {};
  for (const route of routes) {
    (paths[route.template] ??= {})[route.method.toLowerCase()] = operationOf(route, builder);
  }
  const made = parts.map((part) => part(builder));
  for (const [path, operations] of made.flatMap(({ paths: further = {} }) => Object.entries(further))) {
    paths[path] = { ...paths[path], ...operations };
  }
  const webhooks = Object.assign({}, ...made.map((part) => part.webhooks ?? {})) as OpenApiDocument['webhooks'];
  const used = new Set(Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sabiá',
      version: '1',
      summary: say('Voice calls, extensions, credit, users and webhooks.'),
      description: say(
        'Send your access token in the Authorization header; POST /users/login gives you one. Times are ISO 8601 in UTC, money is a number of Brazilian reais, exact to four decimals. Requests are read leniently: unknown fields are ignored, numbers may be text, and null is a missing field. Responses are exact.',
      ),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl, description: say('This installation.') }],
    tags: describeTags(used, say),
    paths,
    ...(Object.keys(webhooks ?? {}).length > 0 ? { webhooks } : {}),
    components: {
      schemas: schemas.all,
      securitySchemes: securitySchemes(say),
      headers: sharedHeaders(say),
      examples: errors.examples,
      responses: errors.responses,
    },
  };
}
