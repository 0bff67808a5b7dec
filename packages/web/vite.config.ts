import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The server that `npm run dev` of this package talks to. */
const server = process.env.SKEIN_URL ?? 'http://127.0.0.1:4141';

/** KaTeX names each font in three formats. Every browser that runs the page reads the smallest one. */
function newestFontsOnly(): Plugin {
  return {
    name: 'newest-fonts-only',
    enforce: 'pre',
    transform: (code, id) =>
      /katex[^/]*\.css/.test(id)
        ? code.replace(/,\s*url\([^)]*\.(?:woff|ttf)["']?\)\s*format\(["'][a-z]+["']\)/g, '')
        : undefined,
  };
}

export default defineConfig({
  plugins: [react(), tailwindcss(), newestFontsOnly()],
  // The manifest says what is loaded first: its size has a limit.
  build: { target: 'es2023', manifest: true, assetsInlineLimit: 0, chunkSizeWarningLimit: 1000 },
  worker: { format: 'es' },
  // The name the page was asked for goes along: the server answers no page from elsewhere.
  server: {
    proxy: Object.fromEntries(['/api', '/proxy'].map((path) => [path, { target: server, changeOrigin: false }])),
  },
});
