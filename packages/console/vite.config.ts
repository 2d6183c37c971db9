import { paraglideVitePlugin } from '@inlang/paraglide-js';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

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
  // Pages come through the gateway (CONSOLE_DEV_URL); only the news of changed modules comes from here directly.
  server: { port: 5173, strictPort: true, hmr: { clientPort: 5173 } },
});
