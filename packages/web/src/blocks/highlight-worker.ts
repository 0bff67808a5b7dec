import { createHighlighterCore, type HighlighterCore } from 'shiki/core';
// The page may not run WebAssembly.
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import dark from 'shiki/themes/github-dark-high-contrast.mjs';
import light from 'shiki/themes/github-light-high-contrast.mjs';
import { GRAMMARS } from './grammars.ts';
import type { LanguageName } from './languages.ts';

/** Colours code beside the page: a grammar's first line alone can take longer than a frame. */

export interface Asked {
  readonly id: number;
  readonly code: string;
  readonly name: LanguageName;
}

/** A piece of a line and its colour in the light and the dark theme. */
export type CodePiece = readonly [text: string, light: string, dark: string];
export type CodeLine = readonly CodePiece[];

export interface Answer {
  readonly id: number;
  readonly lines: readonly CodeLine[];
}

let starting: Promise<HighlighterCore> | undefined;

self.addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  void colour(data).then(
    (lines) => self.postMessage({ id: data.id, lines } satisfies Answer),
    () => self.postMessage({ id: data.id, lines: [] } satisfies Answer),
  );
});

async function colour({ code, name }: Asked): Promise<readonly CodeLine[]> {
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
    // A line that took too long would be left half coloured.
    tokenizeTimeLimit: 0,
  });
  return tokens.map((line) =>
    line.map(({ content, htmlStyle }): CodePiece => {
      const colours = htmlStyle as Readonly<Record<string, string>> | undefined;
      return [content, colours?.['--shiki-light'] ?? 'inherit', colours?.['--shiki-dark'] ?? 'inherit'];
    }),
  );
}
