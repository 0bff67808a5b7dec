/** Names of the fields and types in a reply, as `Memory.ownField` is asked for them. */
import { isObject, type Json, objects, textOf } from '../json.ts';
import type { Protocol } from '../protocol.ts';

/** Objects under every name they may have on the way: with and without their `type` (`text.citations.char_location.x`). */
function* blockPaths(value: unknown, names: readonly string[]): Iterable<string> {
  if (Array.isArray(value)) for (const item of value) yield* blockPaths(item, names);
  if (!isObject(value)) return;
  const tag = textOf(value.type);
  if (tag !== undefined) yield `:${tag}`;
  const tagged = tag === undefined ? names : [...names, ...names.map((name) => (name === '' ? tag : `${name}.${tag}`))];
  for (const [field, item] of Object.entries(value)) {
    const paths = tagged.map((name) => (name === '' ? field : `${name}.${field}`));
    yield* paths;
    yield* blockPaths(item, paths);
  }
}

/** `<type or role of the object>.<field>`. */
function* typedPaths(value: unknown): Iterable<string> {
  if (Array.isArray(value)) for (const item of value) yield* typedPaths(item);
  if (!isObject(value)) return;
  const type = textOf(value.type);
  if (type !== undefined) yield `:${type}`;
  for (const [field, item] of Object.entries(value)) {
    yield `${type ?? textOf(value.role) ?? ''}.${field}`;
    yield* typedPaths(item);
  }
}

function* partPaths(value: unknown, path: string): Iterable<string> {
  if (Array.isArray(value)) for (const item of value) yield* partPaths(item, path);
  if (!isObject(value)) return;
  for (const [field, item] of Object.entries(value)) {
    const name = path === '' ? field : `${path}.${field}`;
    yield name;
    yield* partPaths(item, name);
  }
}

/**
 * The message is what a client sends back: a content list, a chat message, output items or a Gemini content. Fields of
 * the response around it stay foreign to requests.
 */
export const ownFields: Readonly<Record<Protocol, (message: Json) => Iterable<string>>> = {
  *'anthropic-messages'({ content, ...rest }) {
    for (const field of Object.keys(rest)) yield `messages.${field}`;
    yield* blockPaths(objects(content), ['']);
  },
  'openai-chat': typedPaths,
  'openai-responses': ({ output }) => typedPaths(output),
  'google-generatecontent': (content) => partPaths(content, ''),
};
