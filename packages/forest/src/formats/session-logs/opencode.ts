import {
  type ContentBlock,
  isObject,
  type JsonObject,
  type Message,
  textAt,
  toolResult,
  type Usage,
  user,
} from '@skein/core';
import { wrongShape } from '../format-error.ts';
import type { BuiltInImporter } from '../importer.ts';
import { unknownMessage } from '../importers/source-conversation.ts';
import {
  argumentsText,
  type ExactObject,
  objectAt,
  otherMembers,
  readObject,
  readObjects,
  textMember,
} from '../source/exact-json.ts';
import { assembleReply, type KeptBlock } from './assemble-reply.ts';
import { keepBeside, type LoggedMessage, toConversation } from './session-log.ts';

/**
 * A session of OpenCode, as `opencode export` prints it: the session, and its messages with their parts. What providers issued is in the
 * metadata of the parts.
 */
export const opencode: BuiltInImporter = {
  recognisedBy: 'an object with "info" and "messages"',
  detects: ({ info, messages }) => isObject(info) && Array.isArray(messages),
  read(text) {
    const session = readObject(text, 'a session with "info" and "messages"');
    const { info, messages } = session.value;
    if (!isObject(info) || !Array.isArray(messages)) throw wrongShape('a session with "info" and "messages"');
    const logged = writeLog(readObjects(textAt(text, ['messages'])!, messages, 'a message'));
    const parent = textMember(info, 'parentID');
    const id = textMember(info, 'id') ?? '';
    const cwd = textMember(info, 'directory');
    const version = textMember(info, 'version');
    return toConversation(logged, NO_LINES, {
      session: {
        agent: 'opencode',
        id: parent ?? id,
        ...(cwd !== undefined && { cwd }),
        ...(version !== undefined && { version }),
        ...(parent !== undefined && { subagent: id }),
      },
      title: textMember(info, 'title'),
    });
  },
};

/** A session is one document. */
const NO_LINES = { lines: [], problems: [], past: undefined };
const NO_SPAN = { first: 0, last: 0 };

/** The question that stands for the history before a summary. */
const SUMMED_UP = 'What did we do so far?';

/** All messages. A compaction and the summary behind it are none: they stand in for those before them. */
function writeLog(sources: readonly ExactObject[]): LoggedMessage[] {
  const logged: LoggedMessage[] = [];
  let instead: readonly Message[] | undefined;
  let beside: string[] = [];
  for (let index = 0; index < sources.length; index++) {
    const [source, next] = [sources[index]!, sources[index + 1]];
    const made = writeMessages(source, logged.at(-1)?.keys[0]);
    const summary = isCompaction(source) && next && isSummary(next) ? writeMessages(next, undefined) : undefined;
    if (summary) {
      instead = [user(SUMMED_UP), ...summary.map(({ message }) => message)];
      beside = [source.text, next!.text];
      index += 1;
      continue;
    }
    const [first, ...others] = made;
    if (!first) continue;
    const extra = keepBeside(first.take.extra ?? {}, beside);
    logged.push({ ...first, take: { ...first.take, extra }, ...(instead && { instead }) }, ...others);
    instead = undefined;
    beside = [];
  }
  const last = logged.at(-1);
  if (last && beside.length > 0)
    logged.splice(-1, 1, { ...last, take: { ...last.take, extra: { ...last.take.extra, after: beside } } });
  return logged;
}

function isCompaction({ value: { parts } }: ExactObject): boolean {
  return Array.isArray(parts) && parts.some((part) => isObject(part) && part.type === 'compaction');
}

function isSummary({ value: { info } }: ExactObject): boolean {
  return isObject(info) && info.role === 'assistant' && info.summary === true;
}

/** A message, and the results of its calls. Each step of a reply was one response. */
function writeMessages(source: ExactObject, before: string | undefined): LoggedMessage[] {
  const about = objectAt(source, 'info') ?? source;
  const parts = Array.isArray(source.value.parts)
    ? readObjects(textAt(source.text, ['parts'])!, source.value.parts, 'a part')
    : [];
  const at = createdAt(about.value);
  const key = String(about.value.id);
  const made =
    about.value.role === 'assistant'
      ? splitSteps(parts).flatMap((step) => writeStep(step, about.value))
      : [
          {
            message: about.value.role === 'user' ? user(readBlocks(parts)) : unknownMessage(source.text),
            take: { author: 'person' as const },
          },
        ];
  let parent = before;
  return made.map(({ message, take }, index) => {
    const own = index === 0 ? key : `${key}#${index}`;
    const extra =
      index === 0 ? { ...otherMembers(about, ['role', 'modelID', 'tokens']), parts: partFacts(parts) } : { id: key };
    const one: LoggedMessage = { message, at, take: { ...take, extra }, keys: [own], parent, span: NO_SPAN };
    parent = own;
    return one;
  });
}

function createdAt({ time }: JsonObject): number | undefined {
  return isObject(time) && typeof time.created === 'number' ? time.created : undefined;
}

function splitSteps(parts: readonly ExactObject[]): ExactObject[][] {
  const steps: ExactObject[][] = [];
  for (const part of parts) {
    if (part.value.type === 'step-start' || steps.length === 0) steps.push([]);
    steps.at(-1)!.push(part);
  }
  return steps.filter((step) => step.some(({ value }) => isSaid(value)));
}

function isSaid({ type }: JsonObject): boolean {
  return type === 'text' || type === 'reasoning' || type === 'tool';
}

interface Written {
  readonly message: Message;
  readonly take: LoggedMessage['take'];
}

function writeStep(parts: readonly ExactObject[], about: JsonObject): Written[] {
  const model = textMember(about, 'modelID');
  const kept = parts.filter(({ value }) => isSaid(value)).map(readPart);
  // What a provider issued stands under the name of its protocol; without any, the provider's own name has to do.
  const issuer = parts.flatMap(({ value }) => (isObject(value.metadata) ? Object.keys(value.metadata) : []))[0];
  const { message, provider } = assembleReply(issuer ?? textMember(about, 'providerID') ?? '', kept, model);
  const finish = parts.findLast(({ value }) => value.type === 'step-finish');
  const usage = readUsage(finish?.value.tokens ?? about.tokens);
  const reply: Written = {
    message,
    take: {
      author: 'model',
      ...(provider !== undefined && { provider }),
      ...(model !== undefined && { model }),
      ...(usage && { usage }),
    },
  };
  return [reply, ...parts.filter(({ value }) => value.type === 'tool').flatMap(writeResult)];
}

function readPart({ text, value }: ExactObject): KeptBlock {
  const issued = Object.values(isObject(value.metadata) ? value.metadata : {}).find(isObject) ?? {};
  const seal =
    textMember(issued, 'signature') ??
    textMember(issued, 'reasoningEncryptedContent') ??
    textMember(issued, 'thoughtSignature');
  const id = textMember(issued, 'itemId');
  const said = textMember(value, 'text') ?? '';
  if (value.type === 'reasoning') return { kind: 'thought', text: said, id, seal };
  if (value.type === 'text') return { kind: 'text', text: said, id, phase: textMember(issued, 'phase'), seal };
  const { state } = value;
  const input = isObject(state) ? state.input : undefined;
  return {
    kind: 'call',
    id: String(value.callID),
    item: id,
    name: String(value.tool),
    parameters: argumentsText(input, textAt(text, ['state', 'input'])),
    seal,
  };
}

function writeResult({ value }: ExactObject): Written[] {
  const { state } = value;
  if (!isObject(state) || (state.status !== 'completed' && state.status !== 'error')) return [];
  const isError = state.status === 'error';
  const output = textMember(state, isError ? 'error' : 'output') ?? '';
  return [{ message: toolResult(String(value.callID), output, { isError }), take: { author: 'tool' } }];
}

function readBlocks(parts: readonly ExactObject[]): ContentBlock[] {
  return parts.map(({ text, value }): ContentBlock => {
    if (value.type === 'text' && typeof value.text === 'string') return { type: 'text', text: value.text };
    const url = textMember(value, 'url');
    if (value.type === 'file' && url !== undefined && typeof value.mime === 'string')
      return { type: 'media', mediaType: value.mime, source: { kind: 'url', url } };
    return { type: 'unknown', native: text };
  });
}

/** Ids, times and structured results of the parts; their words are in the messages. */
function partFacts(parts: readonly ExactObject[]): Record<string, unknown>[] {
  return parts.map((part) => {
    const facts = otherMembers(part, ['text', 'sessionID', 'messageID', 'state']);
    const { state } = part.value;
    if (!isObject(state)) return facts;
    const { input: _input, output: _output, ...rest } = state;
    return { ...facts, state: rest };
  });
}

function readUsage(tokens: unknown): Usage | undefined {
  if (!isObject(tokens)) return undefined;
  const number = (value: unknown) => (typeof value === 'number' ? value : 0);
  const cache = isObject(tokens.cache) ? tokens.cache : {};
  const reasoning = number(tokens.reasoning);
  return {
    input: number(tokens.input),
    cacheRead: number(cache.read),
    cacheWrite5m: number(cache.write),
    cacheWrite1h: 0,
    output: number(tokens.output) + reasoning,
    reasoning,
    native: JSON.stringify(tokens),
  };
}
