import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server that `npm run dev` of this package talks to. */
const server = process.env.SKEIN_URL ?? 'http://127.0.0.1:4141';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  // The manifest says what is loaded first: its size has a limit.
  build: { target: 'es2023', manifest: true, assetsInlineLimit: 0, chunkSizeWarningLimit: 1000 },
  worker: { format: 'es' },
  // The name the page was asked for goes along: the server answers no page from elsewhere.
  server: {
    proxy: Object.fromEntries(['/api', '/proxy'].map((path) => [path, { target: server, changeOrigin: false }])),
  },
});
