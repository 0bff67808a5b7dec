import {
  assistant,
  type ContentBlock,
  type Dialect,
  isObject,
  type JsonObject,
  type Loss,
  type Message,
  type ToolDefinition,
} from '@skein/core';
import { createMessage } from '@skein/core/dialect';
import {
  createWordChain,
  type Forest,
  findReplies,
  type GatewayReply,
  issuedIds,
  readGatewayReply,
  replyIdKeys,
  showsTheSame,
  type WordChain,
} from '@skein/forest';
import { cutMessage } from '../client/stop-cut.ts';
import { hasReference, type References } from './references.ts';

/** The issuer of messages that a client wrote or got from the gateway: no provider takes their opaque parts for its own. */
export const GATEWAY_ISSUER = 'skein-gateway';

/** The messages of a client's request with the providers' own replies in place of what the client got of them. */
interface RestoredMessages {
  readonly messages: readonly Message[];
  /** The same messages as the client sent them. Parts of a reply that it sent apart are one message in both lists. */
  readonly given: readonly Message[];
  /** References that are not ours, and replies that the client changed. */
  readonly losses: readonly Loss[];
  /** By the index of the message: the exchange whose reply the message shows in other words than the provider's. */
  readonly renamed: Readonly<Record<number, string>>;
  /** The exchange of the last reply that was found. */
  readonly last?: string;
  /** Reads the words of these messages, once. */
  readonly readWords: () => WordsKey;
}

/** The key of the words up to a reply that follows the messages of a request, by which it is found when the client sends it back. */
export type WordsKey = (reply: Message) => string | undefined;

type Tools = readonly ToolDefinition[];

interface RestoreOptions {
  /** Separates conversations of different names. */
  readonly scope: string;
  /** Messages in front of these. */
  readonly before: readonly Message[];
  /** The tools of the request: clients add the defaults of their schemas to calls. */
  readonly tools: Tools;
}

/** Finds replies that the gateway delivered, in this process or another one. */
export interface Restorer {
  restore(messages: readonly Message[], dialect: Dialect, options: RestoreOptions): Promise<RestoredMessages>;
  /** A reply by its exchange; undefined if that has none. */
  reply(exchange: string): Promise<DeliveredReply | undefined>;
  /** Keeps a reply at hand that was just delivered. */
  remember(exchange: string, reply: DeliveredReply): void;
}

/** A provider's reply, and the same reply as the client got it. */
type DeliveredReply = Pick<GatewayReply, 'reply' | 'delivered'>;

/** How many replies stay in memory. */
const REPLIES_KEPT = 1000;

export function createRestorer(forest: Forest, references: References): Restorer {
  const known = new Map<string, DeliveredReply>();

  const remember: Restorer['remember'] = (exchange, found) => {
    known.delete(exchange);
    known.set(exchange, found);
    if (known.size > REPLIES_KEPT) known.delete(known.keys().next().value!);
  };
  const reply: Restorer['reply'] = async (exchange) => {
    const found = known.get(exchange) ?? (await readGatewayReply(forest, exchange));
    // A reply that is still coming is not kept.
    if (found && found.reply.stop.reason !== 'cut') remember(exchange, found);
    return found;
  };

  return {
    reply,
    remember,
    async restore(messages, dialect, { scope, before, tools }) {
      const chain = createWordChain(scope);
      for (const message of before) chain.add(message);
      // A history without a reply has nothing to restore. Its words count only when it is answered.
      if (!messages.some(({ role }) => role === 'assistant')) return unchanged(messages, chain);
      const words = messages.map((message) => chain.add(message));
      const replies = messages.map((message) => (message.role === 'assistant' ? message : undefined));
      const ids = replies.map((message) => (message ? replyIdKeys(issuedIds(message)) : []));
      const keys = replies.flatMap((message, at) => (message ? [...ids[at]!, ...(words[at] ? [words[at]] : [])] : []));
      const found = await findReplies(forest, [...new Set(keys)]);
      const losses: Loss[] = [];
      const renamed: Record<number, string> = {};
      let last: string | undefined;

      const restoreOne = async (message: Message, at: number): Promise<Message> => {
        const isMarked = hasReference(message.raw);
        const { exchanges = [], unknown = 0 } = isMarked ? await references.find(message.raw) : {};
        const byKeys = [...ids[at]!, words[at] ?? ''].flatMap((key) => found.get(key) ?? []);
        for (const exchange of new Set([...exchanges, ...byKeys])) {
          const one = await reply(exchange);
          const original = one && findShown(one, message, tools);
          if (!original) continue;
          if (!showsTheSame(original, message)) renamed[at] = exchange;
          last = exchange;
          return original;
        }
        if (!isMarked) return message;
        const detail = unknown > 0 ? 'a reference that is not ours' : 'the client changed the message';
        losses.push({ kind: 'dropped', message: at, path: '', reason: 'foreign-reasoning', detail });
        return dialect.parseMessage(message.raw, { ...message.origin, issuer: GATEWAY_ISSUER });
      };

      const findParts = async (from: number): Promise<JoinedReply | undefined> => {
        const issuers = (at: number) => ids[at]!.flatMap((key) => found.get(key) ?? []);
        const [exchange] = issuers(from);
        if (exchange === undefined) return undefined;
        const parts = joinParts(messages, from, (at) => issuers(at).includes(exchange));
        if (!parts) return undefined;
        const one = await reply(exchange);
        // Who speaks the protocol of the reply may send it as it likes.
        if (!one || one.reply.message.origin.dialect === dialect.id) return undefined;
        const original = findShown(one, parts.shown, tools);
        return original && { ...parts, original, exchange };
      };

      const restored: Message[] = [];
      const given: Message[] = [];
      for (let at = 0; at < messages.length; at++) {
        const message = messages[at]!;
        const joined = replies[at] && (await findParts(at));
        given.push(...(joined ? [joined.shown, ...joined.results] : [message]));
        if (joined) restored.push(joined.original, ...joined.results);
        else restored.push(replies[at] ? await restoreOne(message, at) : message);
        if (joined) {
          last = joined.exchange;
          at = joined.end;
        }
      }
      return {
        ...{ messages: restored, given },
        losses,
        renamed,
        ...(last !== undefined && { last }),
        readWords: () => chain.peek,
      };
    },
  };
}

function unchanged(messages: readonly Message[], chain: WordChain): RestoredMessages {
  let isRead = false;
  const readWords = () => {
    if (!isRead) for (const message of messages) chain.add(message);
    isRead = true;
    return chain.peek;
  };
  return { messages, given: messages, losses: [], renamed: {}, readWords };
}

/** The parts of a reply that a client sent apart, each followed by the results of its calls. */
interface ReplyParts {
  /** The parts as one message. */
  readonly shown: Message;
  readonly results: readonly Message[];
  /** The index of the last of these messages. */
  readonly end: number;
}

interface JoinedReply extends ReplyParts {
  readonly original: Message;
  readonly exchange: string;
}

/** Joins a message and those that follow it with nothing but results in between; undefined if there is only one part. */
function joinParts(
  messages: readonly Message[],
  from: number,
  isPart: (at: number) => boolean,
): ReplyParts | undefined {
  const parts = [messages[from]!];
  const results: Message[] = [];
  let end = from;
  let pending: Message[] = [];
  for (let at = from + 1; at < messages.length; at++) {
    const message = messages[at]!;
    if (message.role === 'assistant' ? !isPart(at) : !isResults(message)) break;
    if (message.role === 'assistant') {
      parts.push(message);
      results.push(...pending);
      pending = [];
      end = at;
    } else pending.push(message);
  }
  if (parts.length === 1) return undefined;
  const [{ raw, origin, facts }] = parts as [Message];
  const content = parts.flatMap((part) => part.content);
  const shown = createMessage(raw, origin, () => ({ role: 'assistant', content, needs: facts.needs }));
  return { shown, results, end };
}

function isResults({ content }: Message): boolean {
  return content.length > 0 && content.every(({ type }) => type === 'tool-result');
}

/** The reply or the alternative that a message shows as the client got it; undefined where the client changed it. */
function findShown({ reply, delivered }: DeliveredReply, message: Message, tools: Tools): Message | undefined {
  const choices = [reply.message, ...reply.alternatives.map((one) => one.message)];
  const same = choices.find((choice) => showsTheSame(choice, message));
  if (same) return same;
  const shown = delivered();
  // Claude Code adds the defaults of its tools to the calls that it sends back.
  const isBareSame = () => showsTheSame(withoutDefaults(shown, tools), withoutDefaults(message, tools));
  if (!showsTheSame(shown, message) && !(message.toolUses.length > 0 && isBareSame())) return undefined;
  // What stood behind a stop sequence was never said to the client.
  const isCut = shown.text !== reply.message.text && reply.message.text.startsWith(shown.text);
  return isCut ? cutMessage(reply.message, shown.text.length) : reply.message;
}

/** The message with calls that leave out what their tools take for granted. */
function withoutDefaults(message: Message, tools: Tools): Message {
  const content = message.content.map((block): ContentBlock => {
    if (block.type !== 'tool-use') return block;
    const properties = readProperties(tools, block.name);
    const isGranted = (name: string, value: unknown) => {
      const schema = properties[name];
      return isObject(schema) && 'default' in schema && JSON.stringify(schema.default) === JSON.stringify(value);
    };
    const given = Object.entries(block.parameters).filter(([name, value]) => !isGranted(name, value));
    return { ...block, rawParameters: JSON.stringify(Object.fromEntries(given)) };
  });
  return assistant(content);
}

/** The schemas of a tool's parameters, by their names. */
function readProperties(tools: Tools, name: string): JsonObject {
  const tool = tools.find((one) => 'name' in one && one.name === name);
  if (!tool || !('parameters' in tool)) return {};
  const schema: unknown = typeof tool.parameters === 'string' ? JSON.parse(tool.parameters) : tool.parameters;
  return isObject(schema) && isObject(schema.properties) ? schema.properties : {};
}
