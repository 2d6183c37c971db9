import { rateLimitClasses } from '../contract/rate-limit-classes';
import type { RateLimitClass } from '../contract/rate-limit-classes';
import type { Access } from '../contract/routes';
import type { Limits } from '../limits/allowance';
import { createErrorResponses } from './error-responses';
import type { ErrorResponses } from './error-responses';
import { readExamples } from './examples';
import type { Examples } from './examples';
import { createSchemaCollection } from './schemas';
import type { SchemaCollection } from './schemas';
import type { Say } from './texts';

/** What operations have in common, whether an rpc declares them or not. */
export interface Admitted {
  access: Access;
  rateLimit: RateLimitClass;
}

/** What the parts of the document are made with. */
export interface DocumentBuilder {
  say: Say;
  schemas: SchemaCollection;
  errors: ErrorResponses;
  examples: Examples;
  limits: Limits;
  /** Who may send a request, and how often. */
  admission(operation: Admitted): string;
}

export function createDocumentBuilder(say: Say, limits: Limits): DocumentBuilder {
  const examples = readExamples();
  const schemas = createSchemaCollection({ say, examples });
  return {
    ...{ say, examples, schemas, limits },
    errors: createErrorResponses(say, schemas),
    admission({ access, rateLimit }) {
      const limit = say(limitTexts[rateLimitClasses[rateLimit].by], { limit: limits[rateLimit] });
      return `${say(accessTexts[access])} ${limit}`;
    },
  };
}

const accessTexts = {
  PUBLIC: 'Needs no token.',
  TOKEN: 'Needs an access token.',
  ADMIN: 'Needs the token of an ADMIN.',
  OPERATOR: 'Needs the token of an operator.',
};

const limitTexts = {
  ip: 'At most {limit} a minute per IP address.',
  user: 'At most {limit} a minute per user.',
  'user+extension': 'At most {limit} a minute per extension and user.',
};
