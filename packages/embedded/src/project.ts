import { resolve } from 'node:path';

// The path is the same from src/ and from dist/.
export const projectRoot = resolve(__dirname, '../../..');
