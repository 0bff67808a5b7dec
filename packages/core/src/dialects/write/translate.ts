import { isObject, type JsonObject, parseJson } from '../../json/index.ts';
import {
  type CallRef,
  type ContentBlock,
  callRef,
  type MediaBlock,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
} from '../../message/index.ts';
import { dropped, type LossNote, type LossReason, rewritten, synthesised } from '../loss.ts';
import { inlineSystem, takesMedia } from '../provider.ts';
import { targetToolId, targetToolName } from './drafts.ts';
import type { CallLookup, Draft, RequestWriter, Target } from './writer.ts';

/** Text or media that the target has a form for, ready to be written in any protocol. `json` is the text as a JSON string. */
export type PortableContent =
  | {
      readonly type: 'text' | 'refusal';
      readonly text: string;
      readonly json: string;
      /** Whether it continues the text before it: providers split a text where a citation begins or ends. */
      readonly isGlued?: boolean;
    }
  | { readonly type: 'media'; readonly part: string };

export type PortableBlock = PortableContent | (CallRef & { readonly type: 'call'; readonly args: string });

type Role = 'system' | 'user' | 'assistant';

interface PortableResult {
  readonly id: string;
  readonly call: CallRef | undefined;
  /** The tool's name as the target takes it. */
  readonly name: string;
  readonly isError: boolean;
  readonly said: readonly PortableContent[];
}

/** How one protocol writes messages, tool results and media. */
export interface MessageFormat {
  message(role: Role, said: readonly PortableBlock[], target: Target, losses: LossNote[]): FormattedMessage;
  result(result: PortableResult, target: Target): FormattedMessage;
  /** Media as a content part; undefined if the protocol cannot hold this source. */
  media(block: MediaBlock, target: Target): string | undefined;
  /** Whether refusals of the assistant have a form of their own; otherwise they are sent as text. */
  readonly takesRefusals?: boolean;
  /** Whether a message of white space counts as empty. */
  readonly blankIsEmpty?: boolean;
}

interface FormattedMessage {
  readonly text: string;
  readonly parts?: readonly string[];
}

/** The result of a failed call that says nothing. */
const FAILED = 'The tool call failed.';

function toText(text: string, path: string, losses: LossNote[], type: 'text' | 'refusal' = 'text'): PortableContent {
  return { type, text, json: toJsonString(text, path, losses) };
}

/** Makes the functions that write messages of any origin from their blocks. The same message always gives the same bytes. */
export function makeTranslator(format: MessageFormat): Pick<RequestWriter, 'translate' | 'result' | 'userText'> {
  const messageDraft = (role: Role, said: readonly PortableBlock[], target: Target, losses: LossNote[]): Draft => ({
    role,
    ...format.message(role, said, target, losses),
    calls: said.flatMap((one) => (one.type === 'call' ? [callRef(one)] : [])),
    results: [],
    losses,
  });
  const resultDraft = (result: PortableResult, target: Target, losses: LossNote[]): Draft => ({
    role: 'tool',
    ...format.result(result, target),
    calls: [],
    results: [result.id],
    losses,
  });

  /** One draft for each tool result, and one for everything else: behind them, but of an answer before them. */
  function translate(message: Message, target: Target, calls: CallLookup): readonly Draft[] {
    const { content, facts, origin } = message;
    const { policies } = target.provider;
    const isAssistant = message.role === 'assistant';
    const losses: LossNote[] = [];
    /** Media of tool results that the target takes only in a user message. */
    const moved: PortableContent[] = [];

    /** Converts a block that is no call. `result` is the id of the call if the block is part of its result. */
    function say(
      block: ContentBlock,
      path: string,
      isAlone: boolean,
      notes: LossNote[],
      result?: string,
    ): readonly PortableContent[] {
      const { type } = block;
      if (type === 'media' && (!isAssistant || result !== undefined)) return show(block, path, notes, result);
      if (type === 'text' && block.citations?.length) notes.push(dropped(`${path}.citations`, 'citations'));
      if ((type === 'text' || type === 'refusal') && block.text !== '') {
        const isKept = type === 'text' || (format.takesRefusals && isAssistant);
        if (!isKept) notes.push(rewritten(path, 'refusal'));
        return [toText(block.text, path, notes, isKept ? type : 'text')];
      }
      // A single empty text stands for an empty message.
      if (type !== 'text' || !isAlone) notes.push(noteLeftOut(block, path));
      return [];
    }

    function call(block: ToolUseBlock, path: string): readonly PortableBlock[] {
      const { rawParameters, form } = block;
      // The arguments of a call at the very end may be missing entirely.
      const isOpen = rawParameters.trim() === '' && block === content.at(-1);
      if (facts.needs.includes('cut') && (isOpen || !areArguments(rawParameters))) {
        losses.push(dropped(path, 'cut'));
        return [];
      }
      const id = targetToolId(block.id, policies, `${path}.id`, losses);
      const name = targetToolName(block.name, policies, `${path}.name`, losses);
      const args = toArguments(rawParameters, `${path}.parameters`, losses);
      return [{ type: 'call', id, name, ...(form && { form }), args }];
    }

    function show(
      block: MediaBlock,
      path: string,
      notes: LossNote[],
      result: string | undefined,
    ): readonly PortableContent[] {
      const { mediaType } = block;
      const partFor = (accepted: readonly string[]): string | undefined => {
        const taken = acceptMedia(block, accepted, message, target);
        return taken && format.media(taken, target);
      };
      const inside = result === undefined ? undefined : partFor(policies.media.toolResult);
      const part = inside ?? partFor(policies.media.user);
      if (part === undefined)
        notes.push(
          dropped(path, isForeignFile(block, message, target) ? 'foreign-file' : 'unsupported-media', mediaType),
        );
      else if (inside || result === undefined) return [{ type: 'media', part }];
      else {
        moved.push(toText(`From the result of tool call ${result}:`, path, notes), { type: 'media', part });
        notes.push(rewritten(path, 'unsupported-media', mediaType));
      }
      return [];
    }

    function answer({ toolCallId, isError, content: given }: ToolResultBlock, path: string): Draft {
      const notes: LossNote[] = [];
      const found = calls.find(toolCallId);
      const id = found?.isOwn ? found.id : targetToolId(found?.id ?? toolCallId, policies, `${path}.toolCallId`, notes);
      const name = targetToolName(found?.name || 'unknown_tool', policies, path, []);
      const said = given.flatMap((block, at) => say(block, `${path}.content[${at}]`, given.length === 1, notes, id));
      if (isError && (format.blankIsEmpty ? said.every(isBlank) : said.length === 0)) {
        said.push(toText(FAILED, path, notes));
        notes.push(synthesised(path, 'empty', FAILED));
      }
      return resultDraft({ id, call: found, name, isError, said }, target, notes);
    }

    const results = content.flatMap((block, index) =>
      block.type === 'tool-result' ? [answer(block, `content[${index}]`)] : [],
    );
    const said = content.flatMap((block, index): readonly PortableBlock[] => {
      if (block.type === 'tool-result') return [];
      if (block.type === 'tool-use' && isAssistant) return call(block, `content[${index}]`);
      const one = say(block, `content[${index}]`, content.length === 1, losses);
      return isCited(block, content[index - 1]) ? one.map((text) => ({ ...text, isGlued: true })) : one;
    });
    // Results must precede everything else (`tool-result-not-first`), and follow their calls.
    const isFirst = ({ type }: ContentBlock): boolean => (type === 'tool-result') !== isAssistant;
    if (content.some((block, at) => at > 0 && isFirst(block) && !isFirst(content[at - 1]!)))
      losses.push(rewritten('', 'reordered'));
    const isRefused = message.role === 'system' && inlineSystem(target) === 'never';
    if (isRefused) losses.push(rewritten('', 'inline-system'));
    // The media of results is the user's, whoever has the results.
    if (isAssistant && moved.length > 0) results.push(messageDraft('user', moved, target, []));
    const all = isAssistant ? said : [...moved, ...said];
    if (all.length === 0 || (format.blankIsEmpty && all.every(isBlank))) {
      // Only results are left, so they carry the notes.
      const [first = NOTHING, ...more] = results;
      return losses.length > 0 || results.length > 0
        ? [{ ...first, losses: [...first.losses, ...losses] }, ...more]
        : [];
    }
    // Translated parts may have carried signatures, which no other provider can read.
    if (facts.needs.includes('bound') && !losses.some(({ reason }) => reason === 'foreign-reasoning'))
      losses.push(dropped('', 'foreign-reasoning'));
    // Blocks hold what all protocols have in common; what one provider adds is lost.
    const names = isAssistant && origin.dialect !== 'blocks' ? findUnknownMembers(message) : [];
    if (names.length > 0) losses.push(dropped('', 'unknown-field', names.join(', ')));
    const role = isAssistant ? 'assistant' : message.role === 'system' && !isRefused ? 'system' : 'user';
    const draft = messageDraft(role, all, target, losses);
    return isAssistant ? [draft, ...results] : [...results, draft];
  }

  return {
    translate,
    // Whoever puts them into a request says why, and nothing else is told.
    result(call, text, target) {
      // The body already has the call under this id and name.
      const { id, name } = call;
      return resultDraft({ id, call, name, isError: false, said: [toText(text, '', [])] }, target, []);
    },
    userText(text, target) {
      return messageDraft('user', [toText(text, '', [])], target, []);
    },
  };
}

/** Whether two texts in a row are one text that was split at a citation. */
function isCited(block: ContentBlock, before: ContentBlock | undefined): boolean {
  return (
    block.type === 'text' && before?.type === 'text' && Boolean(block.citations?.length || before.citations?.length)
  );
}

/** Carries the reasons why there is nothing to send. */
const NOTHING: Draft = { role: 'user', text: '', calls: [], results: [], losses: [] };

function isBlank(said: PortableBlock): boolean {
  return said.type === 'text' && said.text.trim() === '';
}

/** Members of replies that their blocks show, or that mean nothing outside the reply. */
const KNOWN: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ 'annotations args arguments call_id citations citationsContent content custom data encrypted_content format function functionCall function_call id index input name parts phase reasoning reasoningContent reasoningText reasoning_content reasoning_details refusal role signature status summary text thinking thought thoughtSignature thought_signature toolUse toolUseId tool_calls type'.split(
    ' ',
  ),
);

/** Matches keys only, because quotes inside strings are escaped. */
const KEY = /"([^"\\]+)"\s*:/g;

/** The names of members of a reply that a translation from its blocks loses. */
function findUnknownMembers({ raw, content }: Message): string[] {
  let rest = raw;
  for (const block of content) {
    if (block.type === 'tool-use') rest = rest.replace(block.rawParameters, '');
    if (block.type === 'unknown') rest = rest.replace(block.native, '');
    if (block.type === 'text') for (const { native } of block.citations ?? []) rest = rest.replace(native, '');
  }
  const names = new Set([...rest.matchAll(KEY)].map((match) => match[1]!));
  return [...names].filter((name) => !KNOWN.has(name));
}

/** The content of a failed result where the protocol has no error flag: it gets a prefix, unless it reads like an error. */
export function tellFailure(content: string, said: readonly PortableContent[]): string {
  if (said.some((one) => 'text' in one && /error|fail|exception/i.test(one.text))) return content;
  return (content.startsWith('"') ? '"Error: ' : '[{"type":"text","text":"Error:"},') + content.slice(1);
}

/** A string as JSON text. */
export function toJsonString(text: string, path: string, losses: LossNote[]): string {
  return JSON.stringify(toWhole(text, path, losses));
}

/** A text in which lone surrogates, which APIs refuse (`surrogate`), became U+FFFD, with a note. */
function toWhole(text: string, path: string, losses: LossNote[]): string {
  const whole = text.toWellFormed();
  if (whole !== text) losses.push(rewritten(path, 'surrogate'));
  return whole;
}

/** The separator of texts that become one. */
const SEPARATOR = '\n\n';

/** Joins JSON strings into one, separated from each other except where `isApart` says that they are one text. */
export function joinTexts(texts: readonly string[], isApart: (index: number) => boolean = () => true): string {
  const between = JSON.stringify(SEPARATOR).slice(1, -1);
  return `"${texts.map((text, index) => (index > 0 && isApart(index) ? between : '') + text.slice(1, -1)).join('')}"`;
}

/** The texts of the text blocks, separated from each other. */
export function readTexts(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' && block.text !== '' ? [block.text] : [])).join(SEPARATOR);
}

/** A note for a block that the target has no form for. */
export function noteLeftOut(block: ContentBlock, path: string): LossNote {
  return dropped(path, reasonFor(block));
}

function reasonFor(block: ContentBlock): LossReason {
  switch (block.type) {
    case 'reasoning':
      return 'foreign-reasoning';
    case 'media':
      return 'unsupported-media';
    case 'text':
    case 'refusal':
      return 'empty';
    case 'unknown':
      return isServerTool(block.native) ? 'server-tool' : 'unknown-block';
    default:
      block satisfies { type: 'tool-use' | 'tool-result' };
      return 'unknown-block';
  }
}

/** Providers name such blocks in `type`, or by the member that holds them. */
function isServerTool(native: string): boolean {
  const value = parseJson(native);
  if (!isObject(value)) return false;
  const kind = typeof value.type === 'string' ? value.type : Object.keys(value).join(' ');
  return /tool|call|search|fetch|code|exec|mcp|shell|computer/i.test(kind);
}

/** Media in the form that the target takes, with data URLs as data; undefined if the target does not take it. */
function acceptMedia(
  block: MediaBlock,
  accepted: readonly string[],
  message: Message,
  target: Target,
): MediaBlock | undefined {
  const media = inlineDataUrl(block);
  const isSent =
    !isForeignFile(block, message, target) && isTaken(accepted, media.mediaType) && isReachable(media, message);
  return isSent ? media : undefined;
}

/** Whether media is a file that another provider stores. In a message of a person, a file id means one of the target's. */
function isForeignFile({ source }: MediaBlock, { origin }: Message, { provider }: Target): boolean {
  return source.kind === 'file' && origin.dialect !== 'blocks' && origin.issuer !== provider.issuer;
}

/** Turns media with a `data:` URL into media with data. */
export function inlineDataUrl(block: MediaBlock): MediaBlock {
  const match = block.source.kind === 'url' ? /^data:([^;,]+)[^,]*;base64,(.*)/s.exec(block.source.url) : null;
  return match ? { ...block, mediaType: match[1]!, source: { kind: 'base64', data: match[2]! } } : block;
}

/** Whether the target can fetch an address; one inside another provider's cloud (`gs://…`) it cannot. */
function isReachable({ source }: MediaBlock, { origin }: Message): boolean {
  return source.kind !== 'url' || origin.dialect === 'blocks' || /^https?:/i.test(source.url);
}

/** Whether a type is accepted. If only its kind is known (`image/*`), any accepted type of that kind will do. */
function isTaken(accepted: readonly string[], mediaType: string): boolean {
  if (takesMedia(accepted, mediaType)) return true;
  return mediaType.endsWith('/*') && accepted.some((known) => known.startsWith(mediaType.slice(0, -1)));
}

export function toDataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}

/** Parses a JSON object; undefined if the text is anything else. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether tool arguments are a JSON object, as every API requires. Blank text means no arguments. */
export function areArguments(raw: string): boolean {
  return raw.trim() === '' || parseObject(raw) !== undefined;
}

/** Tool arguments as the text of a JSON object: as the model wrote them, or an object that quotes what it wrote. */
export function toArguments(raw: string, path: string, losses: LossNote[]): string {
  if (raw.trim() === '') return '{}';
  const whole = toWhole(raw, path, losses);
  if (areArguments(whole)) return whole;
  losses.push(rewritten(path, 'malformed-arguments'));
  return `{"_malformed_arguments":${JSON.stringify(whole)}}`;
}
