import { resolve } from 'node:path';
import root from '../../jest.config.mjs';

const [unit] = root.projects;
const rootDir = resolve(import.meta.dirname, '../..');

// Beside `npm test`: these need Helm, which npm run chart:check obtains.
export default {
  rootDir,
  testTimeout: root.testTimeout,
  reporters: root.reporters,
  projects: [{ ...unit, rootDir, displayName: 'chart', testMatch: ['<rootDir>/helm/tests/**/*.test.ts'] }],
};
