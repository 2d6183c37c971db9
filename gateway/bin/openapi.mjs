// Prints the OpenAPI document of the public API, in English or in the language that is given: node gateway/bin/openapi.mjs pt-BR
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { defaultProtoRoot, loadContract } = require('../dist/contract/contract.js');
const { rateLimitClasses } = require('../dist/contract/rate-limit-classes.js');
const { buildRoutes } = require('../dist/contract/routes.js');
const { publicDocument } = require('../dist/reference.js');

const limits = Object.fromEntries(Object.entries(rateLimitClasses).map(([name, { limit }]) => [name, limit]));
const routes = buildRoutes(loadContract([defaultProtoRoot()]));
const [language = 'en'] = process.argv.slice(2);
const document = publicDocument(routes, {
  publicUrl: 'http://localhost:8080',
  limits,
  eventStreamsPerUser: 20,
  language,
});
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
