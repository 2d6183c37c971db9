// Imports point one way: protos ← service-kit ← services, gateway ← embedded, testkit, tests.
// Inside a service: rpc → use cases → domain, storage, events, clients, adapters; storage → domain types; domain → nothing.
// Telephony's use cases: driving → placing, recordings; of switch/ they know the port only.

const services = ['identity', 'extensions', 'telephony', 'billing', 'webhook'];

function forbid(files, message, group, ignores = []) {
  return {
    files,
    ignores: ['**/*.test.ts', ...ignores],
    rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] },
  };
}

const serviceNames = services.map((name) => `@sabia/${name}`);
const withSubpaths = (names) => names.flatMap((name) => [name, `${name}/*`]);
const upperFloors = withSubpaths([
  '@sabia/gateway',
  '@sabia/embedded',
  '@sabia/testkit',
  '@sabia/bench',
  ...serviceNames,
]);
const io = [
  'node:fs',
  'node:fs/*',
  'node:net',
  'node:http',
  'node:https',
  'pg',
  'nats',
  'ioredis',
  'undici',
  'nodemailer',
  '@grpc/*',
];
const kitIo = ['@sabia/service-kit/postgres/*', '@sabia/service-kit/events/*', '@sabia/service-kit/grpc/*'];
const layer = (name) => ['..', '../..', '../../..'].map((up) => `${up}/${name}/**`);
const useCases = ['placing', 'driving', 'recordings'];
const switchAdapters = ['switch/asterisk', 'switch/simulated'];

// Inside the gateway: each folder or file imports from earlier floors only, never from its own floor or a later one.
const gatewayOrder = [
  ['errors', 'contract'],
  ['transcoder', 'clients'],
  ['http'],
  ['limits'],
  ['access', 'idempotency', 'openapi'],
  ['endpoints'],
  ['pages', 'recordings', 'sip', 'live', 'health', 'console', 'operator'],
  ['docs'],
  ['admission', 'reference'],
  ['api'],
  ['server', 'config'],
  ['operator-server'],
  ['assemble'],
  ['service'],
  ['main'],
];
const gatewayFloors = gatewayOrder.flatMap((floor, index) =>
  floor.map((name) => {
    const above = gatewayOrder.slice(index).flat();
    const forbidden = above.filter((other) => other !== name);
    return forbid(
      [`gateway/src/${name}.ts`, `gateway/src/${name}/**/*.ts`],
      `In the gateway, ${name} may import from earlier floors only (eslint.layers.mjs).`,
      [
        ...upperFloors,
        ...forbidden.flatMap((other) =>
          ['.', '..', '../..', '../../..'].flatMap((up) => [`${up}/${other}`, `${up}/${other}/*`]),
        ),
      ],
    );
  }),
);

// One rule per folder: ESLint keeps only the last configuration of a rule, so each group lists all that it forbids.
export const layers = [
  forbid(['packages/service-kit/src/**/*.ts'], 'service-kit knows nothing of what is built on it.', upperFloors),
  forbid(['packages/client/src/**/*.ts'], 'The client runs in browsers, and knows nothing but the API.', [
    '@sabia/*',
    'node:*',
  ]),
  forbid(['packages/cli/src/**/*.ts'], 'The command line knows the API through its client only.', [
    ...upperFloors,
    ...withSubpaths(['@sabia/protos', '@sabia/service-kit']),
  ]),
  forbid(['gateway/src/**/*.ts'], 'The gateway reaches services over gRPC only.', upperFloors),
  ...gatewayFloors,
  forbid(
    ['packages/embedded/src/**/*.ts'],
    'The stack starts services as processes.',
    withSubpaths(['@sabia/gateway', '@sabia/testkit', '@sabia/bench', ...serviceNames]),
  ),
  forbid(
    ['services/*/src/**/*.ts'],
    'Services never import services; they call each other through src/clients.',
    upperFloors,
  ),
  forbid(['services/*/src/domain/**/*.ts'], 'The domain imports no I/O and no other layer.', [
    ...upperFloors,
    ...io,
    ...kitIo,
    ...['rpc', 'storage', 'events', 'clients', 'mail', 'switch', 'payments', 'delivery', ...useCases].flatMap(layer),
  ]),
  // It returns what it found; callers decide what to tell a client and when to try again.
  forbid(
    ['services/*/src/storage/**/*.ts'],
    'Storage knows SQL and domain types only: no client-facing error, no timer.',
    [
      ...upperFloors,
      'nats',
      '@grpc/*',
      'node:timers/*',
      '@sabia/service-kit/errors',
      '@sabia/service-kit/validation/*',
      '@sabia/service-kit/work/*',
      ...['rpc', 'events', 'clients', 'mail', 'switch', 'payments', 'delivery', ...useCases].flatMap(layer),
    ],
  ),
  forbid(['services/*/src/{events,clients,mail,switch,payments,delivery}/**/*.ts'], 'Adapters know no use case.', [
    ...upperFloors,
    ...['rpc', ...useCases].flatMap(layer),
  ]),
  forbid(['services/telephony/src/rpc/**/*.ts'], 'See the directions at the top of this file.', [
    ...upperFloors,
    ...['driving', ...switchAdapters].flatMap(layer),
  ]),
  forbid(['services/telephony/src/{recordings,placing}/**/*.ts'], 'See the directions at the top of this file.', [
    ...upperFloors,
    ...['rpc', ...useCases, ...switchAdapters].flatMap(layer),
  ]),
  forbid(['services/telephony/src/driving/**/*.ts'], 'See the directions at the top of this file.', [
    ...upperFloors,
    ...['rpc', ...switchAdapters].flatMap(layer),
  ]),
  // Acceptance tests are black box.
  {
    files: ['packages/testkit/acceptance/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: [
                '@sabia/service-kit',
                '@sabia/service-kit/*',
                '@sabia/protos',
                '@sabia/protos/*',
                ...withSubpaths(['@sabia/gateway', ...serviceNames]),
              ],
              message: 'Acceptance tests see the product from outside.',
            },
          ],
        },
      ],
    },
  },
];
