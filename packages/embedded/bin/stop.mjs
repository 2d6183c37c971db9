import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';
import { prepare } from './prepare.mjs';

if (!existsSync(join(root, 'packages/embedded/dist/stop.js'))) await prepare();
const { stopLeftBehind } = await import('../dist/stop.js');
await stopLeftBehind();
