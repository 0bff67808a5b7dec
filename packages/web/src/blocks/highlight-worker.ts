import { createHighlighterCore, type HighlighterCore, type LanguageRegistration } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import dark from 'shiki/themes/github-dark-high-contrast.mjs';
import light from 'shiki/themes/github-light-high-contrast.mjs';
import type { LanguageName } from './languages.ts';

// The page's content security policy forbids WebAssembly.

/** Highlights code outside the main thread: loading a grammar alone can take longer than a frame. */

export interface HighlightRequest {
  readonly id: number;
  readonly code: string;
  readonly name: LanguageName;
}

/** A piece of a line and its colour in the light and the dark theme. */
export type ColouredPiece = readonly [text: string, light: string, dark: string];
export type ColouredLine = readonly ColouredPiece[];

export interface HighlightResult {
  readonly id: number;
  readonly lines: readonly ColouredLine[];
}

let starting: Promise<HighlighterCore> | undefined;

self.addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  void colour(data).then(
    (lines) => self.postMessage({ id: data.id, lines } satisfies HighlightResult),
    () => self.postMessage({ id: data.id, lines: [] } satisfies HighlightResult),
  );
});

async function colour({ code, name }: HighlightRequest): Promise<readonly ColouredLine[]> {
  starting ??= createHighlighterCore({
    engine: createJavaScriptRegexEngine({ forgiving: true }),
    themes: [light, dark],
    langs: [],
  });
  const [highlighter, { default: grammar }] = await Promise.all([starting, GRAMMARS[name]()]);
  await highlighter.loadLanguage(grammar);
  const { tokens } = highlighter.codeToTokens(code, {
    lang: name,
    themes: { light: light.name!, dark: dark.name! },
    defaultColor: false,
    // With a time limit, a slow line would be left half coloured.
    tokenizeTimeLimit: 0,
  });
  return tokens.map((line) =>
    line.map(({ content, htmlStyle }): ColouredPiece => {
      const colours = htmlStyle as Readonly<Record<string, string>> | undefined;
      return [content, colours?.['--shiki-light'] ?? 'inherit', colours?.['--shiki-dark'] ?? 'inherit'];
    }),
  );
}

type Grammar = () => Promise<{ readonly default: LanguageRegistration[] }>;

/** Each grammar is fetched when code in its language is first shown. */
export const GRAMMARS: Readonly<Record<LanguageName, Grammar>> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  jsx: () => import('shiki/langs/jsx.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  lua: () => import('shiki/langs/lua.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
};
