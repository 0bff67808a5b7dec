// The site of `npm run docs`. Everything is in its files: fonts, search and pictures need no network.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

export default defineConfig({
  title: 'Skein',
  description: 'Conversations with language models, kept whole',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.cache/vitepress',
  lastUpdated: false,
  // A link that leads nowhere fails the build. Addresses on this machine are examples, and the reference is written later.
  ignoreDeadLinks: [/^https?:\/\/(localhost|127\.0\.0\.1)/, /^\/api\//],
  markdown: {
    html: true,
    // Links are checked as GitHub writes the ids of headings.
    anchor: { slugify: (/** @type {string} */ heading) => slugify(heading) },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Contents', link: '/contents' },
      { text: 'Command line', link: '/cli' },
      { text: 'API reference', link: '/api/index.html', target: '_self' },
    ],
    sidebar: readSidebar(),
  },
});

/** @param {string} heading */
function slugify(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** The sections and links of the page of contents, in its order. */
function readSidebar() {
  const text = readFileSync(new URL('../pages/contents.md', import.meta.url), 'utf8');
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.slice(0, section.indexOf('\n')),
      items: [...section.matchAll(/\[([^\]]+)\]\(([^)]+)\.md\)/g)].map(([, name = '', path = '']) => ({
        text: name.replaceAll('`', '').replace(/^./, (first) => first.toUpperCase()),
        link: `/${path.replace(/^\.?\//, '')}`,
      })),
    }));
}
