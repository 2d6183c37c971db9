// npm run phone: a softphone in the terminal, for machines without a browser.
import { prepare } from '../../embedded/bin/prepare.mjs';

await prepare();
const { runTerminalPhone } = await import('../dist/terminal-phone/main.js');
await runTerminalPhone();
