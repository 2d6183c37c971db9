import { createConfig, lintFromString } from '@redocly/openapi-core';
import { defaultProtoRoot, loadContract } from './contract/contract';
import { rateLimitClasses } from './contract/rate-limit-classes';
import { buildRoutes } from './contract/routes';
import type { Limits } from './limits/allowance';
import { docsPage } from './pages/docs';
import { publicDocument } from './reference';

const limits = Object.fromEntries(
  Object.entries(rateLimitClasses).map(([name, { limit }]) => [name, limit]),
) as unknown as Limits;
const document = publicDocument(buildRoutes(loadContract([defaultProtoRoot()])), {
  publicUrl: 'https://api.sabia.test',
  limits,
  eventStreamsPerUser: 20,
});

describe('the reference of the public API', () => {
  it('satisfies an independent linter', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      // Recordings are redirects, which is a success of its own kind.
      rules: { 'operation-2xx-response': 'off', 'tag-description': 'error', 'no-ambiguous-paths': 'off' },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('has what no rpc declares', () => {
    const names = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(names).toEqual(
      expect.arrayContaining(['checkAccessToken', 'followEvents', 'getRecording', 'getCallRecording', 'endSession']),
    );
  });

  it('becomes a page without anything from elsewhere', () => {
    const page = docsPage(document);
    expect(page).toContain('/api/v1/calls/{id}/hangup');
    expect(page).not.toMatch(/<script|src="http|href="http/);
  });
});
