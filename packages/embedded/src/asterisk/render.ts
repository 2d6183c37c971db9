import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { templateFolder, templateNames } from './recipe';

/** Values of the placeholders in deploy/asterisk/etc by name. Empty: the line is left out. */
export type ConfigurationValues = Record<string, string | number>;

/** deploy/asterisk/render.sh does the same without Node; a test compares the two. */
export function renderTemplate(template: string, values: ConfigurationValues): string {
  const lines = template.split('\n').flatMap((line) => {
    // A comment may show what a placeholder looks like.
    if (line.startsWith(';')) return [line];
    let isEmpty = false;
    const rendered = line.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`the configuration of Asterisk asks for ${placeholder}`);
      const text = String(value);
      // A semicolon begins a comment, a line break another option.
      if (/[;\r\n]/.test(text)) throw new Error(`${name} holds a character that Asterisk's configuration cannot carry`);
      if (text === '') isEmpty = true;
      return text;
    });
    return isEmpty ? [] : [rendered];
  });
  return lines.join('\n');
}

/** Writes the configuration at every start, readable only to its owner, because it contains passwords. */
export function renderConfiguration(target: string, values: ConfigurationValues): void {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true, mode: 0o700 });
  for (const name of templateNames()) {
    const rendered = renderTemplate(readFileSync(join(templateFolder, name), 'utf8'), values);
    writeFileSync(join(target, name), rendered, { mode: 0o600 });
  }
  chmodSync(target, 0o700);
}
