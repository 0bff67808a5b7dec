import {
  type CallRef,
  type ContentBlock,
  callRef,
  type MediaBlock,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
} from '../../message/index.ts';
import { dropped, type LossNote, rewritten, synthesised } from '../loss.ts';
import { forModel } from '../provider.ts';
import { acceptMedia, areArguments, isForeignFile, noteLeftOut, toArguments, toJsonString } from './content.ts';
import { targetToolId, targetToolName } from './tool-calls.ts';
import type { CallLookup, Draft, RequestWriter, Target } from './writer.ts';

/** A block that the target has a form for, ready to be written in any protocol. `json` is the text as a JSON string. */
export type PortableBlock =
  | {
      readonly type: 'text' | 'refusal';
      readonly text: string;
      readonly json: string;
      /** Whether it continues the text before it: providers split a text where a citation begins or ends. */
      readonly isGlued?: boolean;
    }
  | { readonly type: 'media'; readonly part: string }
  | (CallRef & { readonly type: 'call'; readonly args: string });

type Role = 'system' | 'user' | 'assistant';

interface PortableResult {
  readonly id: string;
  readonly call: CallRef | undefined;
  /** The tool's name as the target takes it. */
  readonly name: string;
  readonly isError: boolean;
  readonly said: readonly PortableBlock[];
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

function toText(text: string, path: string, losses: LossNote[], type: 'text' | 'refusal' = 'text'): PortableBlock {
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

  /** One draft for each tool result, then one for everything else. */
  function translate(message: Message, target: Target, calls: CallLookup): readonly Draft[] {
    const { content, facts, origin } = message;
    const { policies } = target.provider;
    const isAssistant = message.role === 'assistant';
    const losses: LossNote[] = [];
    /** Media of tool results that the target takes only in a user message. */
    const moved: PortableBlock[] = [];

    /** Converts a block. `result` is the id of the call if the block is part of its result. */
    function say(
      block: ContentBlock,
      path: string,
      isAlone: boolean,
      notes: LossNote[],
      result?: string,
    ): readonly PortableBlock[] {
      const { type } = block;
      if (type === 'tool-use') return result === undefined ? call(block, path) : [];
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
    ): readonly PortableBlock[] {
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
      if (isError && said.length === 0) {
        said.push(toText(FAILED, path, notes));
        notes.push(synthesised(path, 'empty', FAILED));
      }
      return resultDraft({ id, call: found, name, isError, said }, target, notes);
    }

    const results = content.flatMap((block, index) =>
      block.type === 'tool-result' ? [answer(block, `content[${index}]`)] : [],
    );
    const said = content.flatMap((block, index) => {
      if (block.type === 'tool-result') return [];
      const one = say(block, `content[${index}]`, content.length === 1, losses);
      return isCited(block, content[index - 1]) ? one.map((text) => ({ ...text, isGlued: true })) : one;
    });
    // Results must precede everything else (`tool-result-not-first`).
    const isMixed = content.some(({ type }, at) => type === 'tool-result' && at > 0 && content[at - 1]!.type !== type);
    if (isMixed) losses.push(rewritten('', 'reordered'));
    const isRefused = message.role === 'system' && forModel(policies.inlineSystem, target.model) === 'never';
    if (isRefused) losses.push(rewritten('', 'inline-system'));
    const all = [...moved, ...said];
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
    return [...results, messageDraft(role, all, target, losses)];
  }

  return {
    translate,
    result(call, text, target) {
      const losses: LossNote[] = [];
      // The body already has the call under this id and name.
      const { id, name } = call;
      return resultDraft({ id, call, name, isError: false, said: [toText(text, '', losses)] }, target, losses);
    },
    userText(text, target) {
      const losses: LossNote[] = [];
      return messageDraft('user', [toText(text, '', losses)], target, losses);
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
  'annotations args arguments call_id citations content data encrypted_content format function functionCall function_call id index input name parts phase reasoning reasoning_content reasoning_details refusal role signature status summary text thinking thought thoughtSignature thought_signature tool_calls type'.split(
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
