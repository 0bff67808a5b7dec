// Stands in the place of other files of this folder in Node's build (tsdown.config.ts says which). Node can load a file at any
// time, so the code of a protocol is loaded when it is first used: to read all of it takes as long as everything else that
// `import '@skein/core'` does.
import { added } from './added.ts';
import { anthropic } from './anthropic-messages/provider.ts';
import { skein } from './blocks/provider.ts';
import type { Dialect, DialectSpec } from './dialect.ts';
import { google } from './google-generatecontent/provider.ts';
import { openaiChatHome } from './openai-chat/provider.ts';
import { openai } from './openai-responses/provider.ts';
import type { ProviderDescriptor } from './provider.ts';
import type { DialectServer } from './serve.ts';

let nodeRequire: NodeJS.Require | undefined;

/** Loads a file of the build. Made on first use: Node's module about modules, and a `require` of it, cost an import a millisecond. */
export function require(file: string): unknown {
  nodeRequire ??= process.getBuiltinModule('node:module').createRequire(import.meta.url);
  return nodeRequire(file);
}

/** All that needs the code of the protocol. The compiler asks for a new member of `Dialect` here. */
const LOADED = Object.keys({
  parseMessage: true,
  readResponse: true,
  readStream: true,
  readRequest: true,
  writer: true,
  title: true,
  endpoints: true,
  framing: true,
  members: true,
  output: true,
  serve: true,
  requestHeaders: true,
  cacheDiagnosis: true,
  continuation: true,
  warmUp: true,
  serverState: true,
  socket: true,
} satisfies Record<Exclude<keyof Dialect, 'id' | 'home'>, true>) as (keyof Dialect)[];

/** For dialects from outside, too. */
export function makeDialect(spec: DialectSpec): Dialect {
  return (require('./make-dialect.js') as typeof import('./dialect.ts')).makeDialect(spec);
}

let served: typeof import('./serve.ts') | undefined;

/** The side of a dialect that records and serves. */
export function serving(dialect: Pick<Dialect, 'id' | 'serve'>): DialectServer {
  // A gateway asks many times in each request, and `require` looks for the file every time.
  served ??= require('./serve.js') as typeof import('./serve.ts');
  return served.serving(dialect);
}

let writing: typeof import('./write/write-request.ts') | undefined;

export const writeRequest: typeof import('./write/write-request.ts').writeRequest = (...given) => {
  writing ??= require('./write-request.js') as typeof import('./write/write-request.ts');
  return writing.writeRequest(...given);
};

export const openaiChat = onDemand(openaiChatHome);
export const openaiResponses = onDemand(openai);
export const anthropicMessages = onDemand(anthropic);
export const googleGenerateContent = onDemand(google);
export const blocks = onDemand(skein);

/** The build gives each protocol a file under its id, whose only export is its spec, or the dialect itself. */
export function onDemand(home: ProviderDescriptor): Dialect {
  const id = home.dialect;
  let loaded: Dialect | undefined;
  const load = (): Dialect => {
    if (loaded) return loaded;
    const known = added.get(id);
    const [found] = Object.values(require(`./${id}.js`) as Record<string, Dialect | DialectSpec>);
    loaded = 'parseMessage' in found! ? found : makeDialect(found!);
    // A file that adds its dialect put it in the place of this one.
    if (known) added.set(id, known);
    return loaded;
  };
  const made = { id, home } as Dialect;
  for (const name of LOADED) Object.defineProperty(made, name, { get: () => load()[name], enumerable: true });
  return Object.freeze(made);
}
