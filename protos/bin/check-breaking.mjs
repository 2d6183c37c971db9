// Fails when the contract breaks what clients were given with the last release, which is kept in released.binpb.
// `npm run protos:release` takes today's contract as the new one.
import { execFileSync } from 'node:child_process';

const protos = new URL('..', import.meta.url).pathname;

execFileSync('buf', ['breaking', '--against', 'released.binpb'], { cwd: protos, stdio: 'inherit' });
console.log('compatible with the released contract');
