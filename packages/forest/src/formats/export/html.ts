import type { ContentBlock } from '@skein/core';
import { Marked } from 'marked';
import type { ForestNode } from '../../forest/index.ts';
import type { ExportedConversation } from './conversations.ts';

/**
 * The page that holds exported conversations. It is one file that loads nothing and runs nothing: its own policy forbids both,
 * and everything that a person or a model wrote is escaped.
 */
export function htmlHead(title: string): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
`;
}

export const HTML_END = '<footer>Exported from Skein. Read only.</footer>\n</body>\n</html>\n';

/** Writes a conversation as a part of the page. */
export function toHtml({ title, nodes }: ExportedConversation): string {
  const models = [...new Set(nodes.flatMap((node) => modelOf(node) ?? []))];
  const first = nodes[0]?.at;
  const facts = [
    ...(first === undefined ? [] : [timeHtml(first)]),
    `${nodes.length} ${nodes.length === 1 ? 'message' : 'messages'}`,
    ...(models.length > 0 ? [escapeHtml(models.join(', '))] : []),
  ];
  return `<main>
<header><h1>${escapeHtml(title.trim() || 'Conversation')}</h1><p>${facts.join(' · ')}</p></header>
${nodes.map(nodeHtml).join('\n')}
</main>
`;
}

const NAMES = { system: 'System', user: 'User', assistant: 'Assistant', tool: 'Tool', other: 'Other' } as const;

function nodeHtml(node: ForestNode): string {
  const { role, message, at } = node;
  const model = modelOf(node);
  const about = [`<h2>${NAMES[role]}</h2>`, ...(model === undefined ? [] : [`<span>${escapeHtml(model)}</span>`])];
  const content = message.content.map(blockHtml).join('\n');
  const body = role === 'system' ? fold('Instructions', content) : content;
  return `<article class="${role}"><div class="about">${about.join(' ')} ${timeHtml(at)}</div>
${body}
</article>`;
}

function modelOf({ takes }: ForestNode): string | undefined {
  return takes.find((take) => take.author === 'model')?.model;
}

function timeHtml(at: number): string {
  const iso = new Date(at).toISOString();
  return `<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')}</time>`;
}

function blockHtml(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return `<div class="text">${markdownHtml(block.text)}</div>`;
    case 'refusal':
      return `<div class="text refused"><strong>Refused:</strong> ${markdownHtml(block.text)}</div>`;
    case 'reasoning':
      return fold('Thoughts', block.redacted ? '<p>The provider keeps them to itself.</p>' : markdownHtml(block.text));
    case 'tool-use':
      return fold(`Calls ${block.name}`, codeHtml(block.rawParameters));
    case 'tool-result':
      return fold(block.isError ? 'The tool failed' : 'Result', block.content.map(blockHtml).join('\n'));
    case 'media':
      return mediaHtml(block);
    case 'unknown':
      return codeHtml(block.native);
    default:
      return codeHtml(JSON.stringify(block satisfies never));
  }
}

/** The kinds of pictures that cannot contain a script. */
const PICTURES = /^image\/(png|jpeg|gif|webp|avif)$/;
const BASE64 = /^[A-Za-z0-9+/=\s]*$/;

function mediaHtml({ source, mediaType, name = mediaType }: Extract<ContentBlock, { type: 'media' }>): string {
  const label = escapeHtml(name);
  if (source.kind === 'url') return `<p>${linkHtml(source.url, label)}</p>`;
  if (source.kind === 'file') return `<p><em>${label}: the file ${escapeHtml(source.id)}</em></p>`;
  if (PICTURES.test(mediaType) && BASE64.test(source.data))
    return `<img alt="${label}" src="data:${mediaType};base64,${source.data.replace(/\s/g, '')}">`;
  return `<p><em>${label}: ${source.data.length} characters of base64</em></p>`;
}

function fold(title: string, content: string): string {
  return `<details><summary>${escapeHtml(title)}</summary>${content}</details>`;
}

function codeHtml(text: string): string {
  return `<pre><code>${escapeHtml(text)}</code></pre>`;
}

function linkHtml(address: string, inner: string): string {
  // Only what leads elsewhere: no script, no file, no data.
  if (!/^(https?:\/\/|mailto:)/i.test(address)) return inner;
  return `<a href="${escapeHtml(address)}" rel="noopener noreferrer nofollow">${inner}</a>`;
}

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    code: ({ text }) => codeHtml(text),
    codespan: ({ text }) => `<code>${escapeHtml(text)}</code>`,
    link({ href, tokens }) {
      return linkHtml(href, this.parser.parseInline(tokens));
    },
    // A picture from elsewhere would tell its server who reads this.
    image: ({ href, text }) => linkHtml(href, escapeHtml(text || href)),
  },
});

function markdownHtml(text: string): string {
  return marked.parse(text, { async: false });
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => ESCAPES[mark]!);
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1d1c1a; --soft: #66625b; --line: #e4e1db; --page: #faf9f7; --raised: #fff; --user: #eef0fa; --accent: #0f6b63 }
@media (prefers-color-scheme: dark) { :root { --ink: #edebe6; --soft: #a8a39a; --line: #33302c; --page: #161514; --raised: #1d1c1a; --user: #22242f; --accent: #5ec8bb } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.6 system-ui, sans-serif }
main, footer { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem }
main > header { border-bottom: 1px solid var(--line); margin-bottom: 1rem }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 }
header p, footer, .about { color: var(--soft); font-size: .8rem }
article { padding: .25rem 0 1rem; overflow-wrap: anywhere }
article.user { background: var(--user); border-radius: .75rem; padding: .5rem 1rem; margin: .5rem 0 1rem }
.about { display: flex; gap: .75rem; align-items: baseline }
.about h2 { font-size: .85rem; margin: 0; color: var(--accent) }
.about time { margin-left: auto }
.text > :first-child { margin-top: .25rem } .text > :last-child { margin-bottom: .25rem }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; overflow-x: auto; font-size: .85rem; line-height: 1.45 }
code { font-family: ui-monospace, monospace; font-size: .9em }
details { border: 1px solid var(--line); border-radius: .5rem; padding: .25rem .75rem; margin: .5rem 0; background: var(--raised) }
summary { cursor: pointer; color: var(--soft); font-size: .85rem }
img { max-width: 100%; border-radius: .5rem }
table { border-collapse: collapse; display: block; overflow-x: auto } td, th { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left }
blockquote { margin: 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--soft) }
a { color: var(--accent) }
main + main { border-top: 3px double var(--line) }
@media print {
  :root { --ink: #000; --page: #fff; --raised: #fff; --user: #f4f4f4; --soft: #444 }
  body { font-size: 11pt }
  main, footer { max-width: none; padding: 0 }
  main + main { break-before: page }
  h2, .about { break-after: avoid } pre, img, tr { break-inside: avoid }
  pre { white-space: pre-wrap }
  details::details-content { content-visibility: visible }
}
`;
