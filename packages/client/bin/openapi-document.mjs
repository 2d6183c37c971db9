// The OpenAPI document as a gateway with default settings serves it, without starting one.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const gateway = '../../../gateway/dist';
const { buildRoutes } = require(`${gateway}/contract/routes.js`);
const { defaultProtoRoot, loadContract } = require(`${gateway}/contract/contract.js`);
const { rateLimitClasses } = require(`${gateway}/contract/rate-limit-classes.js`);
const { publicDocument } = require(`${gateway}/reference.js`);

const STREAMS_PER_USER = 20;

export function readOpenApiDocument() {
  const limits = Object.fromEntries(Object.entries(rateLimitClasses).map(([name, { limit }]) => [name, limit]));
  const routes = buildRoutes(loadContract([defaultProtoRoot()]));
  return publicDocument(routes, { publicUrl: 'http://localhost', limits, eventStreamsPerUser: STREAMS_PER_USER });
}
