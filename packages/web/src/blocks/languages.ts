/** The languages that are coloured. */
const LANGUAGES = [
  'bash',
  'c',
  'cpp',
  'csharp',
  'css',
  'diff',
  'docker',
  'go',
  'html',
  'java',
  'javascript',
  'json',
  'jsx',
  'kotlin',
  'lua',
  'markdown',
  'php',
  'python',
  'ruby',
  'rust',
  'sql',
  'swift',
  'toml',
  'tsx',
  'typescript',
  'xml',
  'yaml',
] as const;

export type LanguageName = (typeof LANGUAGES)[number];

/** Other names of the languages. */
const OTHER_NAMES: Readonly<Record<string, LanguageName>> = {
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

/** The endings of files where they differ from the name. */
const ENDINGS: Readonly<Record<string, string>> = {
  bash: 'sh',
  csharp: 'cs',
  docker: 'dockerfile',
  javascript: 'js',
  kotlin: 'kt',
  markdown: 'md',
  mermaid: 'mmd',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  typescript: 'ts',
};

/** The ending of a file with code in this language. */
export function fileEnding(language: string): string {
  const name = language.toLowerCase().replace(/[^a-z0-9]/g, '');
  const known = languageName(language);
  return ENDINGS[known ?? name] ?? (OTHER_NAMES[name] === known ? name : known) ?? (name || 'txt');
}

/** The language to highlight; undefined if there is no grammar for it. */
export function languageName(language: string): LanguageName | undefined {
  const name = language.toLowerCase();
  return OTHER_NAMES[name] ?? LANGUAGES.find((one) => one === name);
}
