import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath } from '@sabia/embedded/programs/find-on-path';
import { freePort } from '@sabia/embedded/process/ports';
import { stackEnvironment } from '../config';
import { eventually } from '../eventually';
import { announcedStatuses, codeBlocksOf, programOf, type CodeBlock } from './guide-blocks';
import { openGuideShell } from './guide-shell';

const interpreters: Record<string, string> = { js: 'node', python: 'python3', php: 'php', go: 'go' };
const { PATH = '' } = stackEnvironment({});

export const isPresent = (language: string): boolean => findOnPath(interpreters[language]!, PATH) !== undefined;

/** Languages beside the shell in which a guide has programs. */
export function languagesOf(guide: string): string[] {
  const used = new Set(codeBlocksOf(guide).flatMap((block) => (programOf(block) ? [block.language] : [])));
  return Object.keys(interpreters).filter((language) => used.has(language));
}

export interface Reader {
  gatewayUrl: string;
  /** For X-Forwarded-For. */
  address: string;
  /** What the guide expects the reader to have: TOKEN, EMAIL, … */
  variables: Record<string, string>;
  /** Lays out the folder in which the reader works. */
  prepare?(folder: string): void;
  /** Does what the reader does besides typing after a block; `output` is everything that was printed so far. */
  act?(block: CodeBlock, output: () => string): Promise<void>;
}

/** Does what the guide says, block by block, with its programs in one language. Returns everything that was printed. */
export async function followGuide(guide: string, language: string | undefined, reader: Reader): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sabia-guide-'));
  const port = await freePort();
  reader.prepare?.(folder);
  const shell = openGuideShell(folder, reader.address, { ...reader.variables, PORT: String(port) });
  const fillIn = (text: string): string =>
    text.replaceAll('http://localhost:8080', reader.gatewayUrl).replaceAll(':3000', `:${port}`);

  async function follow(block: CodeBlock): Promise<void> {
    const program = programOf(block);
    if (program !== undefined) writeFileSync(join(folder, program.file), fillIn(block.text));
    const command = fillIn(program?.command ?? block.text).trim();
    const printed = await shell.run(command);
    // What is started in the background takes requests a moment later; people are slower than that.
    if (command.endsWith('&')) await eventually(() => isListening(port));
    const statuses = [...printed.matchAll(/^STATUS (\d+)$/gm)].map(([, status]) => status!);
    const unusual = statuses.filter((status) => !['200', '302'].includes(status));
    const announced = announcedStatuses(block);
    if (unusual.join() !== announced.join())
      throw new Error(`statuses ${unusual.join()} instead of ${announced.join()} in\n${block.text}\n${printed}`);
    await reader.act?.(block, () => shell.output());
  }

  try {
    for (const block of codeBlocksOf(guide))
      if (block.language === 'bash' || (block.language === language && programOf(block))) await follow(block);
    return shell.output();
  } finally {
    shell.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
