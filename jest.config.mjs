const shared = {
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  testEnvironment: '<rootDir>/packages/testkit/jest/node-environment.cjs',
  // Workspace packages are loaded from their sources, so that a test never uses a stale build.
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'require', 'default'] },
  modulePathIgnorePatterns: ['/dist/', '/\\.sabia/'],
};

export default {
  // The time limit is for tests that hang; a slow or busy machine is no reason to fail.
  testTimeout: 600_000,
  // Most files wait for real calls, outages and processes more than they compute: three workers keep two cores busy.
  maxWorkers: 3,
  testSequencer: '<rootDir>/packages/testkit/jest/longest-first.cjs',
  reporters: ['default', '<rootDir>/packages/testkit/reporters/closing-counts.cjs'],
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/{protos,gateway,bench}/src/**/*.test.ts',
        '<rootDir>/{packages,services}/*/src/**/*.test.ts',
      ],
    },
    {
      ...shared,
      displayName: 'integration',
      testMatch: ['<rootDir>/gateway/test/**/*.test.ts', '<rootDir>/{packages,services}/*/test/**/*.test.ts'],
      globalSetup: '<rootDir>/packages/testkit/jest/start-servers.cjs',
      globalTeardown: '<rootDir>/packages/testkit/jest/stop-servers.cjs',
    },
    {
      ...shared,
      displayName: 'acceptance',
      testMatch: ['<rootDir>/packages/testkit/acceptance/**/*.test.ts'],
      globalSetup: '<rootDir>/packages/testkit/jest/start-stack.cjs',
      globalTeardown: '<rootDir>/packages/testkit/jest/stop-stack.cjs',
    },
  ],
};
