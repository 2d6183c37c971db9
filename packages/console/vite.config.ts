import { paraglideVitePlugin } from '@inlang/paraglide-js';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npm run dev` sends API requests: a stack that `npm start` runs. */
const gateway = process.env.SABIA_GATEWAY ?? 'http://localhost:8080';

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
  ],
  build: {
    // The gateway serves this folder, in a checkout and in its image.
    outDir: '../../gateway/console',
    emptyOutDir: true,
    target: 'es2022',
    // Small files would become data: URLs, which the Content-Security-Policy allows for images only.
    assetsInlineLimit: 0,
    // The polyfill is an inline script in effect; every browser the console supports preloads modules itself.
    modulePreload: { polyfill: false },
    sourcemap: false,
    chunkSizeWarningLimit: 700,
  },
  server: {
    proxy: { '/api': gateway, '/sip': { target: gateway, ws: true }, '/pay': gateway },
  },
});
