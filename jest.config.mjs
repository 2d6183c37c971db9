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
  testEnvironment: 'node',
  // Workspace packages are taken from their sources, so that a test never sees a stale build.
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'require', 'default'] },
  modulePathIgnorePatterns: ['/dist/', '/\\.sabia/'],
};

export default {
  // A time limit is for what hangs. A machine that is slow, or busy with something else, is no reason to fail.
  testTimeout: 300_000,
  // They share servers and a stack, and calls are made of sound in real time: more at once would disturb each other.
  maxWorkers: 1,
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
