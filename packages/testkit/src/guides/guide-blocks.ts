import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@sabia/embedded/project';

export interface CodeBlock {
  /** As the fence names it: bash, js, json, … */
  language: string;
  text: string;
}

/** A block that is to be saved as a file and run: its first line says so, as in `// place.mjs: node place.mjs`. */
export interface GuideProgram {
  file: string;
  command: string;
}

export const guideFolder = join(projectRoot, 'docs/guides');

export function readGuide(language: string, name: string): string {
  return readFileSync(join(guideFolder, language, `${name}.md`), 'utf8');
}

export function codeBlocksOf(text: string): CodeBlock[] {
  return [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language = '', block = '']) => ({
    language,
    text: block,
  }));
}

export function programOf({ text }: CodeBlock): GuideProgram | undefined {
  const [, file, command] = /^(?:<\?php )?(?:\/\/|#) ([\w.-]+): (.+)$/m.exec(text.split('\n', 1)[0] ?? '') ?? [];
  return file === undefined || command === undefined ? undefined : { file, command };
}

/** The statuses other than 200 that the comments of a block announce, as in `# 204`. */
export function announcedStatuses({ text }: CodeBlock): string[] {
  return [...text.matchAll(/ # (\d{3})$/gm)].map(([, status = '']) => status);
}
