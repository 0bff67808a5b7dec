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

/** The sections of the page of contents, with the pages to which they link, in its order and under their own titles. */
function readSidebar() {
  return readPage('contents')
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.slice(0, section.indexOf('\n')),
      items: [...section.matchAll(/\]\(([^)]+)\.md\)/g)].map(([, path = '']) => {
        const [, title = path] = /^# (.*)$/m.exec(readPage(path)) ?? [];
        return { text: title.replaceAll('`', ''), link: `/${path.replace(/^\.?\//, '')}` };
      }),
    }));
}

/** @param {string} path */
function readPage(path) {
  return readFileSync(new URL(`../pages/${path}.md`, import.meta.url), 'utf8');
}
