import type { CallRef, ContentBlock, MediaBlock, Message, ToolResultBlock } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { forModel } from '../provider.ts';
import { areArguments, argumentsText } from './arguments.ts';
import { leftOut } from './left-out.ts';
import { takenMedia } from './media.ts';
import { dropped, rewritten, synthesised } from './notes.ts';
import { stringText } from './text.ts';
import { targetToolId, targetToolName } from './tool-names.ts';
import { unknownMembers } from './unknown-members.ts';
import type { CallLookup, RequestWriter, Target, Unit } from './writer.ts';

/** A block that has a place in the target, in words that fit any protocol. `json` is the text as JSON string text. */
export type Said =
  | { readonly type: 'text' | 'refusal'; readonly text: string; readonly json: string }
  | { readonly type: 'media'; readonly part: string }
  | (CallRef & { readonly type: 'call'; readonly args: string });

interface SaidResult {
  readonly id: string;
  readonly call: CallRef | undefined;
  /** The tool's name as the target takes it. */
  readonly name: string;
  readonly isError: boolean;
  readonly said: readonly Said[];
}

/** How one protocol puts things. `parts` are given where units of that protocol can be gathered. */
export interface Forms {
  message(role: 'system' | 'user' | 'assistant', said: readonly Said[], target: Target, losses: LossNote[]): Form;
  result(result: SaidResult, target: Target): Form;
  /** Media as a content part; undefined when the protocol cannot hold this source. */
  media(block: MediaBlock, target: Target): string | undefined;
  /** Whether the assistant's refusals have a form of their own; else they are sent as text. */
  readonly takesRefusals?: boolean;
  /** Whether a message of nothing but white space is as good as none. */
  readonly blankIsEmpty?: boolean;
}

interface Form {
  readonly text: string;
  readonly parts?: readonly string[];
}

/** Writes messages of any origin from their blocks: the same message, the same bytes. */
export function translator(forms: Forms): Pick<RequestWriter, 'translate' | 'result' | 'userText'> {
  return {
    translate: (message, target, calls) => new Translation(forms, message, target, calls).units(),
    result(call, text, target) {
      const losses: LossNote[] = [];
      const { policies } = target.provider;
      const id = targetToolId(call.id, policies, '', losses);
      const name = targetToolName(call.name, policies, '', losses);
      const form = forms.result({ id, call, name, isError: false, said: [saidText(text, '', losses)] }, target);
      return { role: 'tool', ...form, calls: [], results: [id], losses };
    },
    userText(text, target) {
      const losses: LossNote[] = [];
      return {
        role: 'user',
        ...forms.message('user', [saidText(text, '', losses)], target, losses),
        calls: [],
        results: [],
        losses,
      };
    },
  };
}

/** What a call is answered with when it failed and nothing says how. */
const FAILED = 'The tool call failed.';

function saidText(text: string, path: string, losses: LossNote[], type: 'text' | 'refusal' = 'text'): Said {
  return { type, text, json: stringText(text, path, losses) };
}

/** Tool results first, each a unit of its own; then everything else as one message. */
class Translation {
  readonly #forms: Forms;
  readonly #message: Message;
  readonly #target: Target;
  readonly #calls: CallLookup;
  readonly #losses: LossNote[] = [];
  /** Media that the target does not take inside a tool result. */
  readonly #moved: Said[] = [];

  constructor(forms: Forms, message: Message, target: Target, calls: CallLookup) {
    this.#forms = forms;
    this.#message = message;
    this.#target = target;
    this.#calls = calls;
  }

  units(): readonly Unit[] {
    const { content } = this.#message;
    const results = content.flatMap((block, index) =>
      block.type === 'tool-result' ? [this.#result(block, `content[${index}]`)] : [],
    );
    const alone = content.length === 1;
    const said = content.flatMap((block, index) =>
      block.type === 'tool-result' ? [] : this.#say(block, `content[${index}]`, alone),
    );
    const role = this.#role();
    const all = [...this.#moved, ...said];
    if (all.length === 0 || (this.#forms.blankIsEmpty && all.every(isBlank))) return this.#withLosses(results);
    this.#noteSignatures();
    this.#noteMembers();
    const form = this.#forms.message(role, all, this.#target, this.#losses);
    const calls = all.flatMap((item) => (item.type === 'call' ? [callRef(item)] : []));
    return [...results, { role, ...form, calls, results: [], losses: this.#losses }];
  }

  #role(): 'system' | 'user' | 'assistant' {
    const { role } = this.#message;
    if (role === 'assistant') return role;
    if (role !== 'system') return 'user';
    if (forModel(this.#target.provider.policies.inlineSystem, this.#target.model) !== 'never') return role;
    this.#losses.push(rewritten('', 'inline-system'));
    return 'user';
  }

  /** Nothing but results is left: they carry the notes. */
  #withLosses(results: readonly Unit[]): readonly Unit[] {
    const [first, ...more] = results;
    if (first) return [{ ...first, losses: [...first.losses, ...this.#losses] }, ...more];
    return this.#losses.length > 0 ? [{ role: 'user', text: '', calls: [], results: [], losses: this.#losses }] : [];
  }

  /** Signatures can stand on parts that are translated; nobody else can read them. */
  #noteSignatures(): void {
    if (!this.#message.facts.needs.includes('bound')) return;
    if (!this.#losses.some(({ reason }) => reason === 'foreign-reasoning'))
      this.#losses.push(dropped('', 'foreign-reasoning'));
  }

  /** Blocks show what everyone has; what one provider adds stays behind. */
  #noteMembers(): void {
    const { role, origin } = this.#message;
    const names = role === 'assistant' && origin.dialect !== 'blocks' ? unknownMembers(this.#message) : [];
    if (names.length > 0) this.#losses.push(dropped('', 'unknown-field', names.join(', ')));
  }

  #say(block: ContentBlock, path: string, alone: boolean, losses: LossNote[] = this.#losses): Said[] {
    if (block.type === 'text' && block.citations?.length) losses.push(dropped(`${path}.citations`, 'citations'));
    if (block.type === 'text' && block.text !== '') return [saidText(block.text, path, losses)];
    if (block.type === 'refusal' && block.text !== '') return [this.#refusal(block.text, path, losses)];
    if (block.type === 'media' && this.#message.role !== 'assistant') {
      const part = this.#media(block, this.#target.provider.policies.media.user, path, losses);
      return part === undefined ? [] : [{ type: 'media', part }];
    }
    if (block.type === 'tool-use') return this.#call(block, path);
    // A single empty text is how nothing is said.
    if (block.type !== 'text' || !alone) losses.push(leftOut(block, path));
    return [];
  }

  #refusal(text: string, path: string, losses: LossNote[]): Said {
    const isKept = this.#forms.takesRefusals && this.#message.role === 'assistant';
    if (!isKept) losses.push(rewritten(path, 'refusal'));
    return saidText(text, path, losses, isKept ? 'refusal' : 'text');
  }

  #call(block: ContentBlock & { type: 'tool-use' }, path: string): Said[] {
    const { content, facts } = this.#message;
    // A call at the very end may lack all of its arguments.
    const isOpen = block.rawParameters.trim() === '' && block === content.at(-1);
    if (facts.needs.includes('cut') && (isOpen || !areArguments(block.rawParameters))) {
      this.#losses.push(dropped(path, 'cut'));
      return [];
    }
    const { policies } = this.#target.provider;
    const id = targetToolId(block.id, policies, `${path}.id`, this.#losses);
    const name = targetToolName(block.name, policies, `${path}.name`, this.#losses);
    const args = argumentsText(block.rawParameters, `${path}.parameters`, this.#losses);
    return [{ type: 'call', id, name, ...(block.form && { form: block.form }), args }];
  }

  #media(block: MediaBlock, accepted: readonly string[], path: string, losses: LossNote[]): string | undefined {
    const taken = takenMedia(block, accepted, this.#message, this.#target);
    const part = typeof taken === 'string' ? undefined : this.#forms.media(taken, this.#target);
    if (part === undefined)
      losses.push(dropped(path, typeof taken === 'string' ? taken : 'unsupported-media', block.mediaType));
    return part;
  }

  #result(block: ToolResultBlock, path: string): Unit {
    const losses: LossNote[] = [];
    const { policies } = this.#target.provider;
    const call = this.#calls.find(block.toolCallId);
    const id = call?.isOwn
      ? call.id
      : targetToolId(call?.id ?? block.toolCallId, policies, `${path}.toolCallId`, losses);
    const name = targetToolName(call?.name || 'unknown_tool', policies, path, []);
    const said = block.content.flatMap((inner, index) =>
      this.#sayInResult(inner, id, `${path}.content[${index}]`, block.content.length === 1, losses),
    );
    if (block.isError && said.length === 0) {
      said.push(saidText(FAILED, path, losses));
      losses.push(synthesised(path, 'empty', FAILED));
    }
    const form = this.#forms.result({ id, call, name, isError: block.isError, said }, this.#target);
    return { role: 'tool', ...form, calls: [], results: [id], losses };
  }

  #sayInResult(block: ContentBlock, id: string, path: string, alone: boolean, losses: LossNote[]): Said[] {
    if (block.type !== 'media') return block.type === 'tool-use' ? [] : this.#say(block, path, alone, losses);
    const { toolResult, user } = this.#target.provider.policies.media;
    if (typeof takenMedia(block, toolResult, this.#message, this.#target) !== 'string') {
      const part = this.#media(block, toolResult, path, losses);
      return part === undefined ? [] : [{ type: 'media', part }];
    }
    const part = this.#media(block, user, path, losses);
    if (part === undefined) return [];
    this.#moved.push(saidText(`From the result of tool call ${id}:`, path, losses), { type: 'media', part });
    losses.push(rewritten(path, 'unsupported-media', block.mediaType));
    return [];
  }
}

function isBlank(said: Said): boolean {
  return said.type === 'text' && said.text.trim() === '';
}

function callRef({ id, name, form }: CallRef): CallRef {
  return form ? { id, name, form } : { id, name };
}
