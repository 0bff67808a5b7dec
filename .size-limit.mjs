// What size-limit measures, gzipped: parts of core as a bundler takes them, and what the page loads first.
import { readFileSync } from 'node:fs';

const core = read('packages/core/size-limits.json');
const page = 'packages/web/dist/';
const chunks = read(`${page}.vite/manifest.json`);

export default [
  ...core,
  {
    name: 'page, first load of the forest',
    path: filesOf('index.html'),
    gzip: true,
    disablePlugins: ['@size-limit/esbuild'],
    limit: '250 kB',
  },
  {
    name: 'page, first load of a conversation (markdown and the inspector follow)',
    path: filesOf('index.html', 'src/conversation/conversation-screen.tsx'),
    gzip: true,
    disablePlugins: ['@size-limit/esbuild'],
    limit: '250 kB',
  },
];

/** @param {string} path */
function read(path) {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
}

/**
 * The files of chunks with everything they import before they run.
 * @param {readonly string[]} names
 */
function filesOf(...names) {
  const reached = new Set(names);
  for (const name of reached) for (const other of chunks[name].imports ?? []) reached.add(other);
  const files = [...reached].flatMap((name) => [chunks[name].file, ...(chunks[name].css ?? [])]);
  return [...new Set(files)].map((file) => page + file);
}
