import {
  addMember,
  elementTexts,
  isObject,
  parseJson,
  skipSpace,
  splice,
  textAt,
  withoutMembers,
} from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import {
  type BodyMember,
  type Frame,
  type FrameParts,
  frameText,
  rewritten,
  systemTexts,
  type Target,
  toolTexts,
} from '../write/index.ts';
import { textPart } from './forms.ts';
import { mark } from './mark.ts';
import { DIALECT } from './provider.ts';
import { spliceMessage } from './repair.ts';
import { paramMembers } from './write-params.ts';

/** The body around the messages: model, system and tools before them, parameters behind them. */
export function frame(parts: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const system = systemText(parts.system, target, losses);
  const tools = toolsText(parts, target, losses);
  const head: BodyMember[] = [
    ['model', JSON.stringify(target.model)],
    ['system', (parts.cache.system && system && mark(system)) || system],
    ['tools', (parts.cache.tools && tools && mark(tools)) || tools],
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

/** One plain text stays a string; anything else is a list of text blocks. */
function systemText(messages: readonly Message[], target: Target, losses: LossNote[]): string | undefined {
  const texts = messages.flatMap((message, index) => systemValue(message, `system[${index}]`, target, losses) ?? []);
  if (texts.length < 2) return texts[0];
  return `[${texts.flatMap((text) => (text.startsWith('[') ? elementTexts(text) : [textPart(text)])).join(',')}]`;
}

/** The value of `system` that stands for one message: its own text, or what its texts say. */
function systemValue(message: Message, path: string, target: Target, losses: LossNote[]): string | undefined {
  if (message.origin.dialect !== DIALECT) {
    const texts = systemTexts(message, path, losses);
    return texts.length < 2 ? texts[0] : `[${texts.map(textPart).join(',')}]`;
  }
  const [own] = spliceMessage(message, target, { dropBound: false });
  losses.push(...(own?.losses ?? []).map((note) => ({ ...note, path: `${path}.${note.path}` })));
  return own && textAt(own.text, ['content']);
}

function toolsText(parts: FrameParts, target: Target, losses: LossNote[]): string | undefined {
  const texts = toolTexts(parts.tools, target, losses, ({ members, parameters, path }) => {
    return `{${members},"input_schema":${schemaText(parameters, path, losses)}}`;
  });
  return texts.length > 0
    ? `[${texts.map((text, index) => withoutMarker(text, `tools[${index}]`, losses)).join(',')}]`
    : undefined;
}

/** The schema as it was given; one that does not say so is told to be of an object (`tool-schema`). */
function schemaText(text: string, path: string, losses: LossNote[]): string {
  const value = parseJson(text);
  if (!isObject(value) || value.type !== undefined) return text;
  losses.push(rewritten(`${path}.parameters`, 'parameter', 'type: object'));
  return splice(text, [addMember(text, skipSpace(text, 0), 'type', '"object"')]);
}

function withoutMarker(text: string, path: string, losses: LossNote[]): string {
  const edits = withoutMembers(text, 0, (name) => name === 'cache_control');
  if (edits.length > 0) losses.push(rewritten(path, 'cache-marker'));
  return splice(text, edits);
}
