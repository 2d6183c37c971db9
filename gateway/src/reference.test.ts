import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { createDocumentValidator } from '@sabia/testkit/openapi/document-validator';
import { documentedParts } from '../test/fixtures/document-coverage';
import { defaultProtoRoot, loadContract } from './contract/contract';
import { rateLimitClasses } from './contract/rate-limit-classes';
import { buildRoutes } from './contract/routes';
import type { Limits } from './limits/allowance';
import { errorCatalogue } from './openapi/error-catalogue';
import { createSay, readCatalogue } from './openapi/texts';
import { publicDocument } from './reference';

const limits = Object.fromEntries(
  Object.entries(rateLimitClasses).map(([name, { limit }]) => [name, limit]),
) as unknown as Limits;
const routes = buildRoutes(loadContract([defaultProtoRoot()]));
const options = { publicUrl: 'https://api.sabia.test', limits, eventStreamsPerUser: 20 };
const document = publicDocument(routes, options);
const inPortuguese = publicDocument(routes, { ...options, language: 'pt-BR' });

describe('the reference of the public API', () => {
  it('satisfies an independent linter', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        // Recordings are redirects, which is a success of its own kind.
        'operation-2xx-response': 'off',
        // /users/me is not the user "me": literal segments win.
        'no-ambiguous-paths': 'off',
        'operation-description': 'error',
        'parameter-description': 'error',
        'tag-description': 'error',
        'tags-alphabetical': 'off',
        'no-invalid-media-type-examples': 'error',
        'no-invalid-parameter-examples': 'error',
        'no-required-schema-properties-undefined': 'error',
        'operation-operationId-unique': 'error',
      },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('has a description and an example that is valid of every property, parameter, enum and error', () => {
    const validate = createDocumentValidator(document);
    const parts = documentedParts(document);
    const problems = parts.flatMap(({ kind, name, description, example, schema }) => [
      ...(typeof description === 'string' && description !== '' ? [] : [`${kind} ${name} has no description`]),
      ...(example === undefined ? [`${kind} ${name} has no example`] : []),
      ...(schema === undefined || example === undefined
        ? []
        : [validate(schema, example)].flatMap((problem) =>
            problem === undefined ? [] : [`the example of ${kind} ${name}: ${problem}`],
          )),
    ]);
    expect(problems).toEqual([]);
    const counted = (wanted: string) => parts.filter(({ kind }) => kind === wanted).length;
    expect(counted('property')).toBeGreaterThan(400);
    expect(counted('parameter')).toBeGreaterThan(100);
    expect(counted('enum')).toBeGreaterThan(8);
    expect(counted('error')).toBeGreaterThan(100);
  });

  it('says everything in Portuguese, and nothing that is no longer said', () => {
    const said = new Set<string>();
    const say = createSay();
    publicDocument(routes, { ...options, say: (text, values) => (said.add(text), say(text, values)) });
    const catalogue = readCatalogue('pt-BR');
    expect([...said].filter((text) => text !== '' && catalogue[text] === undefined)).toEqual([]);
    expect(Object.keys(catalogue).filter((text) => !said.has(text))).toEqual([]);
    const names = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();
    expect(Object.entries(catalogue).filter(([en, pt]) => String(names(en)) !== String(names(pt)))).toEqual([]);
  });

  it('is the same in both languages but for its texts', () => {
    const texts = new Set(['description', 'summary']);
    const withoutTexts = (value: object) =>
      JSON.stringify(value, (key, inner: unknown) => (texts.has(key) && typeof inner === 'string' ? '' : inner));
    expect(withoutTexts(inPortuguese)).toBe(withoutTexts(document));
  });

  it('has what no rpc declares', () => {
    const names = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(names).toEqual(
      expect.arrayContaining(['checkAccessToken', 'followEvents', 'getRecording', 'getCallRecording', 'endSession']),
    );
  });
});

/** Codes of errors between services, of operators, or of routes that are not in the public reference. */
const otherCodes = new Set([
  'CHARGE_NOT_REFUNDABLE',
  'IDEMPOTENCY_KEY_REQUIRED',
  'REFUND_EXCEEDS_CREDIT',
  'INVALID_EVENT_ID',
  'INVALID_NOTIFICATION',
  'INVALID_REQUEST',
  'PROVISIONING_NOT_FOUND',
  'RESERVATION_CLOSED',
]);

test('the catalogue of errors has every code that services and the gateway raise', () => {
  const root = path.resolve(defaultProtoRoot(), '..');
  const folders = [
    'gateway/src',
    'packages/service-kit/src',
    ...readdirSync(path.join(root, 'services')).map((name) => `services/${name}/src`),
  ];
  const sources = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !/openapi|operator/.test(name))
      .map((name) => readFileSync(path.join(root, folder, name), 'utf8')),
  );
  const raised =
    /\b(?:badRequest|conflict|unprocessable|unauthenticated|refused)\(\s*'([A-Z_]+)'|new HttpError\(\s*\d+,\s*'\w+',\s*'([A-Z_]+)'|\bcode: '([A-Z]{3,}_[A-Z_]+)',\n\s+message/g;
  const codes = new Set(sources.flatMap((text) => [...text.matchAll(raised)].map(([, a, b, c]) => a ?? b ?? c ?? '')));
  const known = new Set(Object.entries(errorCatalogue).map(([name, { code }]) => code ?? name));
  expect(codes.size).toBeGreaterThan(40);
  expect([...codes].filter((code) => !known.has(code) && !otherCodes.has(code))).toEqual([]);
});
