import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Language } from './messages';

export interface CliConfig {
  /** Where credentials and positions are kept. */
  folder: string;
  /** The files of a stack that `npm start` runs in this folder. */
  stackFile: string;
  processesFile: string;
  url: string | undefined;
  token: string | undefined;
  password: string | undefined;
  /** Of the operator's port, which has tokens of its own. */
  operatorUrl: string | undefined;
  operatorToken: string | undefined;
  /** Sent with every request, for proxies that want some. */
  headers: Record<string, string>;
  profile: string | undefined;
  language: Language;
  colours: boolean;
}

/** The only reader of the environment. `--lang` counts before anything is shown, so it is looked for here. */
export function readConfig(env: NodeJS.ProcessEnv, args: readonly string[], isTerminal: boolean): CliConfig {
  const stackHome = env['SABIA_HOME']?.trim() || '.sabia';
  return {
    folder: env['SABIA_CONFIG_DIR'] || join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'sabia'),
    stackFile: join(stackHome, 'stack.json'),
    processesFile: join(stackHome, 'processes.json'),
    url: env['SABIA_URL'] || undefined,
    token: env['SABIA_TOKEN'] || undefined,
    password: env['SABIA_PASSWORD'] || undefined,
    operatorUrl: env['SABIA_OPERATOR_URL'] || undefined,
    operatorToken: env['SABIA_OPERATOR_TOKEN'] || undefined,
    headers: headersIn(env['SABIA_HEADERS'] ?? ''),
    profile: env['SABIA_PROFILE'] || undefined,
    language: languageOf(
      optionIn(args, '--lang') ?? env['SABIA_LANG'] ?? env['LC_ALL'] ?? env['LC_MESSAGES'] ?? env['LANG'] ?? '',
    ),
    colours: isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
  };
}

/** "Name: value", one on each line. */
function headersIn(text: string): Record<string, string> {
  const pairs = text.split('\n').map((line) => /^\s*([\w-]+)\s*:\s*(.*?)\s*$/.exec(line));
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1], pair[2]]] : []))) as Record<string, string>;
}

function optionIn(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  return at < 0 ? undefined : args[at] === name ? args[at + 1] : args[at]?.slice(name.length + 1);
}

const languageOf = (text: string): Language => (/^pt/i.test(text) ? 'pt-BR' : 'en');
