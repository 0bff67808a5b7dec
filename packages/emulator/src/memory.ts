/** What one deployment of one API recognises as its own: signatures, fields, stored responses. */

import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { asText, isObject, type Json, objects, parseJson } from './json.ts';
import type { Protocol } from './protocol.ts';
import type { SseEvent } from './render/renderer.ts';
import type { ResponsesMemory } from './rules/openai-responses/context.ts';
import type { IssuedValue } from './rules/verdict.ts';
import type { ThreadStore } from './server/threads.ts';

/** A value that the emulator shall recognise although it did not issue it. */
export type KnownValue =
  | ({ readonly signature: string } & IssuedValue)
  | { readonly stored: string; readonly openCalls?: readonly string[] }
  | { readonly field: string };

/** What an API keeps of one response. */
export interface StoredResponse {
  readonly response: Json;
  /** The whole conversation, including this response. */
  readonly items: readonly Json[];
  readonly input: readonly Json[];
  /** When it was stored, where what is stored expires. */
  readonly at?: number;
  /** The events of its stream, where that can be read again. */
  readonly events?: readonly SseEvent[];
  /** Whether it still runs in the background. */
  readonly isPending?: boolean;
}

export interface ProviderMemory extends ResponsesMemory {
  readonly sealer: Sealer;
  /** Anthropic's message threads. */
  readonly threads: ThreadStore;
  register(known: KnownValue): void;
  /** Remembers the fields of an issued message. */
  issueFields(message: Json): void;
  /** Remembers which item directly followed which reasoning item. */
  issueItems(items: readonly Json[]): void;
  /** Stores a response (`store: true`). */
  keep(id: string, stored: StoredResponse): void;
  kept(id: string): StoredResponse | undefined;
  forget(id: string): boolean;
}

const readId = ({ id }: Json): string => `${id}`;
/** In Interactions a call has an `id` only. */
const callIds = (items: readonly Json[]) =>
  items.filter(({ type }) => type === 'function_call').map((item) => `${item.call_id ?? item.id}`);

/** Calls without an output. */
function openCalls(items: readonly Json[]): readonly string[] {
  const answers = [...items, ...items.flatMap(({ type, content }) => (type === 'user_input' ? objects(content) : []))];
  const answered = new Set(
    answers.filter(({ type }) => /_output$|^function_result$/.test(`${type}`)).map((item) => item.call_id),
  );
  return callIds(items).filter((id) => !answered.has(id));
}

export function createMemory(protocol: Protocol, secret: string): ProviderMemory {
  const sealer = createSealer(secret);
  const signatures = new Map<string, IssuedValue>();
  const fields = new Set<string>();
  const ids = new Map<string, readonly string[] | undefined>();
  const after = new Map<string, string>();
  const before = new Map<string, string>();
  const responses = new Map<string, StoredResponse>();
  return {
    sealer,
    threads: new Map(),
    issued: (value) => signatures.get(value) ?? sealer.open(value),
    stored: (id) => ids.has(id) || responses.has(id),
    ownField: (path) => fields.has(path),
    following: (id) => after.get(id),
    reasoningOf: (id) => before.get(id),
    openCalls: (id) => {
      const response = responses.get(id);
      return response ? openCalls(response.items) : ids.get(id);
    },
    asyncCalls: (id) => callIds(responses.get(id)?.items.filter((item) => item.async === true) ?? []),
    register(known) {
      if ('field' in known) fields.add(known.field);
      else if ('stored' in known) ids.set(known.stored, known.openCalls);
      else {
        const { signature, ...issued } = known;
        signatures.set(signature, issued);
      }
    },
    issueFields(message) {
      for (const field of ownFields[protocol](message)) fields.add(field);
    },
    issueItems(items) {
      for (const [index, item] of items.entries()) {
        const next = items[index + 1];
        if (item.type !== 'reasoning' || next === undefined) continue;
        after.set(readId(item), readId(next));
        before.set(readId(next), readId(item));
      }
    },
    keep(id, stored) {
      responses.set(id, stored);
      for (const item of stored.items) if (typeof item.id === 'string') ids.set(item.id, []);
    },
    kept: (id) => responses.get(id),
    forget: (id) => responses.delete(id),
  };
}

/**
 * Signatures and ciphertexts contain what they stand for, encrypted and authenticated, as the real ones do. Nothing has
 * to be stored, and with the same secret they are valid in the next process, too.
 */
export interface Sealer {
  /** Different nonces give different texts for the same content. */
  seal(issued: IssuedValue, nonce: string): string;
  open(value: string): IssuedValue | undefined;
}

const ALGORITHM = 'aes-256-gcm';
const IV = 12;
const TAG = 16;
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function createSealer(secret: string): Sealer {
  const key = digest(secret);
  return {
    seal(issued, nonce) {
      const content = JSON.stringify(issued);
      const iv = digest(JSON.stringify([secret, nonce, content])).subarray(0, IV);
      const cipher = createCipheriv(ALGORITHM, key, iv);
      const sealed = Buffer.concat([cipher.update(content, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open(value) {
      const bytes = Buffer.from(value, 'base64');
      // Several base64 texts can stand for the same bytes; only the issued one is valid.
      if (bytes.length < IV + TAG || bytes.toString('base64') !== value) return undefined;
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV));
        decipher.setAuthTag(bytes.subarray(IV, IV + TAG));
        const opened = parseJson(
          Buffer.concat([decipher.update(bytes.subarray(IV + TAG)), decipher.final()]).toString('utf8'),
        );
        return isObject(opened) ? opened : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** The path of every field, with and without the `type` of each object on the way (`text.citations.char_location.x`). */
function* blockPaths(value: unknown, names: readonly string[]): Iterable<string> {
  if (Array.isArray(value)) for (const item of value) yield* blockPaths(item, names);
  if (!isObject(value)) return;
  const tag = asText(value.type);
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
  const type = asText(value.type);
  if (type !== undefined) yield `:${type}`;
  for (const [field, item] of Object.entries(value)) {
    yield `${type ?? asText(value.role) ?? ''}.${field}`;
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
 * The names of the fields and types in a message, in the form in which `Memory.ownField` looks them up. The message is
 * what a client sends back: a content list, a chat message, output items or a Gemini content.
 */
const ownFields: Readonly<Record<Protocol, (message: Json) => Iterable<string>>> = {
  *'anthropic-messages'({ content, ...rest }) {
    for (const field of Object.keys(rest)) yield `messages.${field}`;
    yield* blockPaths(objects(content), ['']);
  },
  'openai-chat': typedPaths,
  'openai-responses': ({ output }) => typedPaths(output),
  'google-generatecontent': (content) => partPaths(content, ''),
  'bedrock-converse': (message) => partPaths(message.content, ''),
  'cohere-chat': typedPaths,
  'google-interactions': ({ steps }) => typedPaths(steps),
};

const PROOFS = new Set(['signature', 'encrypted_content', 'thoughtSignature', 'thought_signature']);

function* proofs(value: unknown): Iterable<KnownValue> {
  if (Array.isArray(value)) for (const item of value) yield* proofs(item);
  if (!isObject(value)) return;
  for (const [name, item] of Object.entries(value)) {
    const proof = PROOFS.has(name) || (name === 'data' && value.type === 'redacted_thinking');
    if (proof && typeof item === 'string') yield { signature: item };
    else yield* proofs(item);
  }
}

/** Ids of the Responses API and of Interactions, which are valid only where the response or item is stored. */
function* references({ input, previous_response_id, previous_interaction_id }: Json): Iterable<KnownValue> {
  for (const previous of [previous_response_id, previous_interaction_id])
    if (typeof previous === 'string') yield { stored: previous };
  for (const { id } of objects(input)) if (typeof id === 'string') yield { stored: id };
}

/** Every opaque value of a request body, such as a recorded one, so that it can be registered. */
export function* findOpaqueValues(body: unknown): Iterable<KnownValue> {
  if (!isObject(body)) return;
  yield* proofs(body);
  yield* references(body);
}
