import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Values of the placeholders in deploy/asterisk/etc and deploy/kamailio/etc by name. Empty: the line is left out. */
export type ConfigurationValues = Record<string, string | number>;

/** A comment may show what a placeholder looks like. "#!" and "#tryinclude" are no comments. */
const comment = /^(;|# )/;

/** deploy/asterisk/render.sh does the same without Node; a test compares the two. */
export function renderTemplate(template: string, values: ConfigurationValues): string {
  const lines = template.split('\n').flatMap((line) => {
    if (comment.test(line)) return [line];
    let isEmpty = false;
    const rendered = line.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`the configuration asks for ${placeholder}`);
      const text = String(value);
      // A semicolon begins a comment of Asterisk, a line break another option, and a quote ends a value of Kamailio.
      if (/[;"\r\n]/.test(text)) throw new Error(`${name} holds a character that the configuration cannot carry`);
      if (text === '') isEmpty = true;
      return text;
    });
    return isEmpty ? [] : [rendered];
  });
  return lines.join('\n');
}

/** Writes the configuration at every start, readable only to its owner, because it contains passwords. */
export function renderConfiguration(templates: string, target: string, values: ConfigurationValues): void {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(templates).filter((each) => /\.(conf|cfg)$/.test(each))) {
    const rendered = renderTemplate(readFileSync(join(templates, name), 'utf8'), values);
    writeFileSync(join(target, name), rendered, { mode: 0o600 });
  }
  chmodSync(target, 0o700);
}
