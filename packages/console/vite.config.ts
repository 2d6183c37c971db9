import { fileURLToPath } from 'node:url';
import { paraglideVitePlugin } from '@inlang/paraglide-js';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';
import { scalarScript } from './bin/scalar.mjs';

/** `virtual:scalar-url` is the address of Scalar's script, which is kept as it is: a file of its own, loaded by the reference alone. */
const scalar: Plugin = {
  name: 'scalar',
  resolveId: (id) => (id === 'virtual:scalar-url' ? `\0${id}` : undefined),
  load(id) {
    if (id !== '\0virtual:scalar-url') return undefined;
    const file = this.emitFile({ type: 'asset', name: 'scalar.js', source: scalarScript() });
    return `export default import.meta.ROLLUP_FILE_URL_${file}`;
  },
};

export default defineConfig({
  base: '/console/',
  plugins: [
    paraglideVitePlugin({
      project: './project.inlang',
      outdir: './src/paraglide',
      strategy: ['localStorage', 'preferredLanguage', 'baseLocale'],
    }),
    tailwindcss(),
    react(),
    scalar,
  ],
  // @sabia/client is bundled from its sources: Vite needs nothing that is compiled before, nor the client's own packages.
  resolve: { alias: { '@sabia/client': fileURLToPath(new URL('../client/src/index.ts', import.meta.url)) } },
  build: {
    // The gateway serves this folder, in a checkout and in its image.
    outDir: '../../gateway/console',
    emptyOutDir: true,
    // The reference is a page of the gateway (/docs); it finds the script by its name.
    rollupOptions: { input: { index: 'index.html', reference: 'src/reference/main.ts' } },
    target: 'es2022',
    // Small files would become data: URLs, which the Content-Security-Policy allows for images only.
    assetsInlineLimit: 0,
    // The polyfill is an inline script in effect; every browser the console supports preloads modules itself.
    modulePreload: { polyfill: false },
    sourcemap: false,
    chunkSizeWarningLimit: 700,
  },
  // Pages come through the gateway (CONSOLE_DEV_URL); only the news of changed modules comes from here directly.
  server: { port: 5173, strictPort: true, hmr: { clientPort: 5173 } },
});
