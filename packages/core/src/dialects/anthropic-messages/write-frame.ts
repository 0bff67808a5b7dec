import { elementTexts, isObject, parseJson, splice, textAt, withoutMembers } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { type BodyMember, frameText } from '../write/frame.ts';
import { dropped, rewritten } from '../write/notes.ts';
import type { Frame, FrameParts, Target } from '../write/writer.ts';
import { mark } from './mark.ts';
import { DIALECT } from './provider.ts';
import { repair } from './repair.ts';
import { paramMembers } from './write-params.ts';
import { systemParts } from './write-system.ts';
import { toolText } from './write-tools.ts';

/** The body around the messages: model, system and tools before them, parameters behind them. */
export function frame(parts: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const system = systemText(parts.system, losses);
  const tools = toolsText(parts, target, losses);
  const head: BodyMember[] = [
    ['model', JSON.stringify(target.model)],
    ...member('system', parts.cache.system && system ? (mark(system) ?? system) : system),
    ...member('tools', parts.cache.tools && tools ? (mark(tools) ?? tools) : tools),
  ];
  const hasTools = tools !== undefined || 'tools' in parts.extra;
  const tail = paramMembers(parts.params, target, hasTools, losses);
  return {
    ...frameText(head, 'messages', tail, parts.extra),
    lead: [],
    base: `${system ?? ''}\n${tools ?? ''}`,
    losses,
  };
}

function member(name: string, text: string | undefined): BodyMember[] {
  return text === undefined ? [] : [[name, text]];
}

/** One plain text stays a string; anything else is a list of text blocks. */
function systemText(messages: readonly Message[], losses: LossNote[]): string | undefined {
  const texts = messages.flatMap((message, index) => systemValue(message, `system[${index}]`, losses) ?? []);
  if (texts.length < 2) return texts[0];
  return `[${texts.flatMap((text) => (text.startsWith('[') ? elementTexts(text) : [stringBlock(text)])).join(',')}]`;
}

function stringBlock(text: string): string {
  return `{"type":"text","text":${text}}`;
}

/** The value of `system` that stands for one message: its own text, or what its texts say. */
function systemValue(message: Message, path: string, losses: LossNote[]): string | undefined {
  if (message.origin.dialect !== DIALECT) {
    const parts = systemParts(message, `${path}.content`, losses);
    const [first] = parts;
    if (first === undefined) return undefined;
    return parts.length === 1 ? textAt(first, ['text']) : `[${parts.join(',')}]`;
  }
  if (message.facts.needs.length === 0) return textAt(message.raw, ['content']);
  const { edits, kept, losses: notes } = repair(message.raw, false, undefined);
  losses.push(...notes.map((note) => ({ ...note, path: `${path}.${note.path}` })));
  return kept.length > 0 ? textAt(splice(message.raw, edits), ['content']) : undefined;
}

function toolsText(parts: FrameParts, target: Target, losses: LossNote[]): string | undefined {
  const texts = parts.tools.flatMap((tool, index) => {
    const path = `tools[${index}]`;
    if (!('native' in tool)) return [toolText(tool, target, path, losses)];
    if (tool.dialect === DIALECT) return [withoutMarker(tool.native, path, losses)];
    losses.push(dropped(path, 'server-tool', `the tool is one of ${tool.dialect} and has no counterpart here`));
    return [];
  });
  return texts.length > 0 ? `[${texts.join(',')}]` : undefined;
}

function withoutMarker(native: string, path: string, losses: LossNote[]): string {
  const value = parseJson(native);
  if (!isObject(value) || !('cache_control' in value)) return native.trim();
  losses.push(rewritten(path, 'cache-marker', 'a cache marker was left out; they are placed per request'));
  const text = native.trim();
  return splice(
    text,
    withoutMembers(text, 0, (name) => name === 'cache_control'),
  );
}
