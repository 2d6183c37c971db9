import { resolve } from 'node:path';

// The same two steps up from src/ and from dist/.
export const projectRoot = resolve(__dirname, '../../..');
