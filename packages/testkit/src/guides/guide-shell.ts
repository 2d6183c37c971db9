import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { stackEnvironment } from '../config';
import { eventually } from '../eventually';

/** A terminal in which the blocks of a guide are run one after the other. */
export interface GuideShell {
  /** Runs a block and returns what it printed; throws if it fails. */
  run(block: string): Promise<string>;
  /** Everything that was printed so far, also by what runs in the background. */
  output(): string;
  stop(): void;
}

/** The part of jq that the guides use, for machines without it. */
const jq = `const args = process.argv.slice(1);
const path = args.at(-1).match(/[\\w-]+/g) ?? [];
const value = path.reduce((found, key) => found?.[key], JSON.parse(require("fs").readFileSync(0, "utf8"))) ?? null;
console.log(typeof value === "string" && args.includes("-r") ? value : JSON.stringify(value));
if (args.includes("-e") && (value === null || value === false)) process.exitCode = 1;`;

/** curl says which status it got; each reader has an address of its own, so that no other test uses up its rate limits. */
const prelude = (address: string): string => `
curl() { command curl -sS -w '%{stderr}\\nSTATUS %{http_code}\\n' -H 'X-Forwarded-For: ${address}' "$@"; }
type jq > /dev/null 2>&1 || jq() { node -e '${jq}' "$@"; }
set -o pipefail
`;

export function openGuideShell(folder: string, address: string, variables: Record<string, string>): GuideShell {
  // A group of its own, so that what it left in the background ends with it.
  const shell: ChildProcess = spawn('bash', [], {
    cwd: folder,
    env: stackEnvironment(variables),
    stdio: 'pipe',
    detached: true,
  });
  let printed = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream!.setEncoding('utf8').on('data', (text: string) => (printed += text));
  shell.stdin!.write(prelude(address));
  return {
    output: () => printed,
    async run(block) {
      const begin = printed.length;
      const mark = randomBytes(8).toString('hex');
      shell.stdin!.write(`${block}\nprintf '%s %s\\n' ${mark} "$?"\n`);
      const end = new RegExp(`${mark} (\\d+)\\n`);
      const code = await eventually(() => end.exec(printed)?.[1] ?? (shell.exitCode !== null && 'gone'), {
        timeoutMs: 120_000,
        intervalMs: 20,
      });
      const said = printed.slice(begin).replace(end, '');
      if (code !== '0') throw new Error(`exit code ${code} of\n${block}\n${said}`);
      return said;
    },
    stop() {
      try {
        process.kill(-shell.pid!, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    },
  };
}
