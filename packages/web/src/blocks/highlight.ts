import type { HighlighterCore, LanguageRegistration, ThemedToken } from 'shiki/core';

type Grammar = () => Promise<{ readonly default: LanguageRegistration[] }>;

/** The languages that are coloured; each is fetched when code in it is first shown. */
const GRAMMARS: Readonly<Record<string, Grammar>> = {
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

const OTHER_NAMES: Readonly<Record<string, string>> = {
  'c++': 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
  console: 'bash',
  dockerfile: 'docker',
  golang: 'go',
  htm: 'html',
  js: 'javascript',
  json5: 'json',
  jsonc: 'json',
  jsonl: 'json',
  kt: 'kotlin',
  md: 'markdown',
  mjs: 'javascript',
  patch: 'diff',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  svg: 'xml',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

export type CodeLine = readonly Pick<ThemedToken, 'content' | 'htmlStyle'>[];

/** Undefined for what is not coloured. */
export function grammarName(language: string): string | undefined {
  const name = language.toLowerCase();
  const known = OTHER_NAMES[name] ?? name;
  return Object.hasOwn(GRAMMARS, known) ? known : undefined;
}

let starting: Promise<HighlighterCore> | undefined;
let highlighter: HighlighterCore | undefined;
const loaded = new Set<string>();

/** Fetches what is needed to colour a language. */
export async function loadGrammar(name: string): Promise<void> {
  starting ??= start();
  const [one, { default: grammar }] = await Promise.all([starting, GRAMMARS[name]!()]);
  await one.loadLanguage(grammar);
  highlighter = one;
  loaded.add(name);
}

/** Lines of coloured pieces; undefined until the grammar is there. */
export function colouredLines(code: string, name: string): readonly CodeLine[] | undefined {
  if (!highlighter || !loaded.has(name)) return undefined;
  const { tokens } = highlighter.codeToTokens(code, {
    lang: name,
    themes: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    defaultColor: false,
  });
  return tokens;
}

async function start(): Promise<HighlighterCore> {
  const [{ createHighlighterCore }, { createJavaScriptRegexEngine }, light, dark] = await Promise.all([
    import('shiki/core'),
    // The page may not run WebAssembly.
    import('shiki/engine/javascript'),
    import('shiki/themes/github-light-high-contrast.mjs'),
    import('shiki/themes/github-dark-high-contrast.mjs'),
  ]);
  return createHighlighterCore({
    engine: createJavaScriptRegexEngine({ forgiving: true }),
    themes: [light.default, dark.default],
    langs: [],
  });
}
