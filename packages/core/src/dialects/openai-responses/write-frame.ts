import { isObject, parseJson, textAt } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import {
  type BodyMember,
  type Frame,
  type FrameParts,
  frameText,
  isOwn,
  joinedTexts,
  systemTexts,
  type Target,
  toolTexts,
} from '../write/index.ts';
import { DIALECT } from './provider.ts';
import { needsCiphertext, storeText, withCiphertext } from './storage.ts';
import { paramMembers } from './write-params.ts';

/**
 * The body around the items. Nothing in it depends on the items, so that it stays the same from turn to turn. `strict`
 * of tools is sent as false: when it is missing, the API makes every schema strict and with it every optional argument
 * required. Who wants that gives the tool in this API's own words.
 */
export function frame(parts: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const instructions = instructionsText(parts.system, losses);
  const texts = toolTexts(parts.tools, target, losses, ({ members, parameters }) => {
    return `{"type":"function",${members},"parameters":${parameters},"strict":false}`;
  });
  // Here images are made by a tool of the provider.
  if (parts.params.modalities?.includes('image') && !texts.some((text) => text.includes('"image_generation"')))
    texts.push('{"type":"image_generation"}');
  const tools = texts.join(',');
  const head: BodyMember[] = [
    ['model', JSON.stringify(target.model)],
    ['instructions', instructions],
    ['tools', tools ? `[${tools}]` : undefined],
  ];
  // A stored prompt may bring its own.
  const hasTools = tools !== '' || 'tools' in parts.extra || 'prompt' in parts.extra;
  const include = needsCiphertext(target) ? withCiphertext(parts.extra.include) : undefined;
  const tail: BodyMember[] = [
    ['store', storeText(target)],
    ['include', include],
    ...paramMembers(parts.params, hasTools, target, losses),
  ];
  return {
    ...frameText(head, 'input', tail, { ...parts.extra, ...(include && { include }) }),
    lead: [],
    base: `${instructions ?? ''}\n${tools}`,
    losses,
  };
}

/** A system message of this API that did not come from `instructions` stays an item, as it was. */
export function standsInline(message: Message, target: Target): boolean {
  return isOwn(message, target) && ownInstructions(message) === undefined;
}

function instructionsText(system: readonly Message[], losses: LossNote[]): string | undefined {
  const own = system.length === 1 ? ownInstructions(system[0]!) : undefined;
  if (own !== undefined) return own;
  const texts = system.flatMap((message, index) => systemTexts(message, `system[${index}]`, losses));
  return texts.length > 0 ? joinedTexts(texts) : undefined;
}

/** The exact text that stood in `instructions`. */
function ownInstructions({ raw, origin }: Message): string | undefined {
  const value = origin.dialect === DIALECT ? parseJson(raw) : undefined;
  if (!isObject(value) || value.role !== 'system' || typeof value.content !== 'string') return undefined;
  return Object.keys(value).length === 2 ? textAt(raw, ['content']) : undefined;
}
