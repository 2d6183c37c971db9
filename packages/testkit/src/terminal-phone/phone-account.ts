import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { StackFile } from '@sabia/embedded/stack/stack-file';
import type { SoftphoneOptions } from '../softphone/softphone';

export const usage = `npm run phone [-- options]

  A softphone in the terminal. Without options it is that of the demo extension of the stack that npm start runs here.

  --user <ramal>        extension
  --password <senha>    its password
  --domain <domain>     of the account
  --server <host:port>  where softphones register (UDP)
  --manual              does not pick up by itself
`;

/** Undefined: the options are incomplete, or there is no stack to take them from. */
export function phoneAccount(args: readonly string[], home: string): SoftphoneOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      user: { type: 'string' },
      password: { type: 'string' },
      domain: { type: 'string' },
      server: { type: 'string' },
      manual: { type: 'boolean', default: false },
    },
  });
  const stack = readStack(home);
  const ramal = values.user ?? stack?.demo.extension.ramal;
  const senha = values.password ?? stack?.demo.extension.senha;
  const domain = values.domain ?? stack?.demo.domain;
  const server = values.server ?? stack?.sip?.udp;
  if (!ramal || !senha || !domain || !server) return undefined;
  return { ramal, senha, domain, server, answers: values.manual ? 'manual' : 'auto' };
}

function readStack(home: string): StackFile | undefined {
  try {
    return JSON.parse(readFileSync(join(home, 'stack.json'), 'utf8')) as StackFile;
  } catch {
    return undefined;
  }
}
