// The built-in dialects in Node, where a file can be loaded at any time: the code of a protocol is loaded when it is first
// used, because reading all of it takes as long as everything else that `import '@skein/core'` does.
import { createRequire } from 'node:module';
import { anthropic } from './anthropic-messages/provider.ts';
import { skein } from './blocks/provider.ts';
import type { Dialect, DialectSpec } from './dialect.ts';
import { google } from './google-generatecontent/provider.ts';
import { openaiChatHome } from './openai-chat/provider.ts';
import { openai } from './openai-responses/provider.ts';
import type { ProviderDescriptor } from './provider.ts';

const require = createRequire(import.meta.url);

/** What is the same for all of a dialect's life, once it is loaded. A new member of `Dialect` has to be added here. */
const LOADED = Object.keys({
  parseMessage: true,
  readResponse: true,
  readStream: true,
  readRequest: true,
  writeRequest: true,
  defaultMaxTokens: true,
  title: true,
  endpoints: true,
  framing: true,
  members: true,
  output: true,
  serve: true,
  serverState: true,
} satisfies Record<Exclude<keyof Dialect, 'id' | 'home'>, true>) as (keyof Dialect)[];

/** Stands in the place of `makeDialect` for dialects from outside, too. */
export function makeDialect(spec: DialectSpec): Dialect {
  return (require('./make-dialect.js') as typeof import('./dialect.ts')).makeDialect(spec);
}

export const openaiChat = onDemand(openaiChatHome);
export const openaiResponses = onDemand(openai);
export const anthropicMessages = onDemand(anthropic);
export const googleGenerateContent = onDemand(google);
export const blocks = onDemand(skein);

/** The build gives each protocol a file under its id, whose only export is its spec. */
function onDemand(home: ProviderDescriptor): Dialect {
  const id = home.dialect;
  let loaded: Dialect | undefined;
  const load = (): Dialect => {
    loaded ??= makeDialect(Object.values(require(`./${id}.js`) as Record<string, DialectSpec>)[0]!);
    return loaded;
  };
  const members = LOADED.map((name) => [name, { get: () => load()[name], enumerable: true }] as const);
  return Object.freeze(Object.defineProperties({ id, home } as Dialect, Object.fromEntries(members)));
}
