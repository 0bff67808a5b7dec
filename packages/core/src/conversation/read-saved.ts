import { dialect, type Manifest, openaiChat } from '../dialects/index.ts';
import { elementTexts, isObject, type JsonObject, parseJson } from '../json/index.ts';
import { type Message, normalizeMessage, type Origin } from '../message/index.ts';
import type { Checkpoint } from '../run/index.ts';
import { isCheckpoint, isFacts, isManifest, isOrigin } from './check-saved.ts';
import { MessageListDeserializationError } from './list-error.ts';
import { isTypedList, readTypedList, TYPED_VERSION } from './read-typed-list.ts';
import { decodeSaved, FACTS_VERSION, FORMAT, VERSION } from './saved.ts';

export interface ReadOptions {
  /** What a bare array of messages is written in; `legacy` is the older shape with string content. */
  readonly dialect?: string;
  readonly origin?: Partial<Origin>;
}

export interface Read {
  readonly messages: Message[];
  readonly manifest?: Manifest | undefined;
  readonly checkpoints?: readonly Checkpoint[];
}

export function readSaved(given: unknown, options: ReadOptions): Read {
  const saved = decoded(given);
  const value = typeof saved === 'string' ? parsed(saved) : saved;
  if (Array.isArray(value))
    return { messages: readArray(typeof saved === 'string' ? saved : JSON.stringify(value), options) };
  if (isTypedList(value))
    return { messages: readTypedList(typeof saved === 'string' ? saved : JSON.stringify(value), value) };
  if (!isObject(value) || value.format !== FORMAT) {
    throw new MessageListDeserializationError(`expected {"format":"${FORMAT}", ...} or an array of messages`);
  }
  if (value.version !== VERSION) {
    const { version } = value;
    throw new MessageListDeserializationError(
      `version ${JSON.stringify(version)} is not supported; this release reads version ${VERSION}, and "${TYPED_VERSION}" of the older format`,
      { version, supported: [VERSION, TYPED_VERSION] },
    );
  }
  return {
    messages: readList(value),
    manifest: isManifest(value.manifest) ? value.manifest : undefined,
    checkpoints: Array.isArray(value.checkpoints) ? value.checkpoints.filter(isCheckpoint) : [],
  };
}

function readList(value: JsonObject): Message[] {
  const { messages, origins } = value;
  if (!Array.isArray(messages) || !Array.isArray(origins))
    throw new MessageListDeserializationError('"messages" and "origins" must be arrays');
  const trusted = value.facts === FACTS_VERSION;
  // Those of many messages are one object; never the one that was given, which is not ours to freeze.
  const known = origins.map((origin: unknown) => (isOrigin(origin) ? Object.freeze({ ...origin }) : undefined));
  return messages.map((item: unknown, index) => {
    if (!isObject(item) || typeof item.raw !== 'string')
      throw new MessageListDeserializationError('it has no "raw" text', { index });
    const origin = typeof item.origin === 'number' ? known[item.origin] : undefined;
    if (!origin)
      throw new MessageListDeserializationError(`its origin ${JSON.stringify(item.origin)} is not in "origins"`, {
        index,
      });
    const facts = trusted && isFacts(item.facts) ? item.facts : undefined;
    return at(index, () => dialect(origin.dialect).parseMessage(item.raw as string, origin, facts));
  });
}

function readArray(text: string, options: ReadOptions): Message[] {
  const { dialect: id } = options;
  if (id === undefined) {
    throw new MessageListDeserializationError(
      `a bare array does not say what it is written in; give { dialect }, such as "${openaiChat.id}"`,
    );
  }
  if (id === 'legacy') return elementTexts(text).map((raw, index) => at(index, () => normalizeMessage(raw)));
  const reader = dialect(id);
  return elementTexts(text).map((raw, index) => at(index, () => reader.parseMessage(raw, options.origin)));
}

function decoded(given: unknown): unknown {
  try {
    return decodeSaved(given);
  } catch (cause) {
    throw new MessageListDeserializationError('the bytes are not UTF-8 text', { cause });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Says where it is wrong; a saved list is not nested, so its depth need not be looked for.
  }
  try {
    return parseJson(text);
  } catch (cause) {
    throw new MessageListDeserializationError((cause as Error).message, { cause });
  }
}

function at<T>(index: number, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new MessageListDeserializationError((cause as Error).message, { index, cause });
  }
}
