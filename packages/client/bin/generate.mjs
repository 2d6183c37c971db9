// Writes src/generated from the gateway's OpenAPI document.
import { fileURLToPath } from 'node:url';
import { generate } from './generator.mjs';

await generate(fileURLToPath(new URL('../src/generated', import.meta.url)));
