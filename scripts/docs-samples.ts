/** The samples of a page as one program. Each printed value is compared with the comment after it. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';

/** SDKs are dependencies of the packages, not of the repository. */
const forest = createRequire(new URL('../packages/forest/package.json', import.meta.url));

/** Everything that a sample may import. */
const MODULES: Readonly<Record<string, () => Promise<object>>> = {
  skein: () => import('skein'),
  'skein/agents': () => import('skein/agents'),
  'skein/node': () => import('skein/node'),
  'skein/prices': () => import('skein/prices'),
  'skein/testing': () => import('skein/testing'),
  'skein/emulator': () => import('skein/emulator'),
  'skein/forest': () => import('skein/forest'),
  'skein/forest/ag-ui': () => import('skein/forest/ag-ui'),
  'skein/forest/ai-sdk': () => import('skein/forest/ai-sdk'),
  'skein/forest/store': () => import('skein/forest/store'),
  'skein/forest/testing': () => import('skein/forest/testing'),
  'skein/server': () => import('skein/server'),
  'node:assert/strict': () => import('node:assert/strict'),
  'node:fs/promises': () => import('node:fs/promises'),
  'node:test': async () => ({ test: (_name: string, run: () => unknown) => run() }),
  openai: () => import(pathToFileURL(forest.resolve('openai')).href),
};

export interface Prepared {
  /** The values in the comments. */
  readonly expected: readonly string[];
  /** Runs the program; returns the values that it printed there. */
  run(): Promise<readonly string[]>;
}

export function prepareSamples(page: string): Prepared {
  const code = [...page.matchAll(/```(?:ts|js) run\n(.*?)```/gs)].map(([, sample = '']) => sample).join('\n');
  const expected: string[] = [];
  const program = code
    .replace(/^export /gm, '')
    .replace(
      /^import (.*) from '(.*)';$/gm,
      (_line, names: string, from: string) => `const ${bound(names)} = await load('${from}');`,
    )
    .replace(/^( *)console\.log\((.*)\); \/\/ (.*)$/gm, (_line, indent: string, printed: string, promise: string) => {
      expected.push(promise);
      return `${indent}print(${printed});`;
    });
  return {
    expected,
    async run() {
      const printed: string[] = [];
      const print = (...values: unknown[]) => void printed.push(values.map(String).join(' '));
      const load = (name: string) => {
        const module = MODULES[name];
        if (!module) throw new Error(`A sample imports ${name}, which scripts/docs-samples.ts does not know.`);
        return module();
      };
      const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
      await new AsyncFunction('load', 'print', 'console', stripTypes(program))(load, print, { log: () => undefined });
      return printed;
    },
  };
}

/** The same program without its types. */
export function stripTypes(program: string): string {
  const { code } = transformSync(`async () => {${program}}`, { loader: 'ts' });
  return code.slice(code.indexOf('{') + 1, code.lastIndexOf('}'));
}

/** The names of an import, `{ a, b as c }` or `Name`, as the pattern of a declaration. */
function bound(names: string): string {
  return names.startsWith('{') ? names.replaceAll(' as ', ': ') : `{ default: ${names} }`;
}
