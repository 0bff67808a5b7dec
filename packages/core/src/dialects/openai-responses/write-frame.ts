import { isObject, parseJson, textAt } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import type { ToolDefinition } from '../request.ts';
import { type BodyMember, frameText } from '../write/frame.ts';
import { dropped } from '../write/notes.ts';
import { stringText } from '../write/text.ts';
import { targetToolName } from '../write/tool-names.ts';
import { isOwn } from '../write/units.ts';
import type { Frame, FrameParts, Target } from '../write/writer.ts';
import { DIALECT } from './items.ts';
import { paramMembers } from './write-params.ts';

/** The body around the items. Nothing in it depends on the items, so that it stays the same from turn to turn. */
export function frame(parts: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const instructions = instructionsText(parts.system, losses);
  const tools = parts.tools.flatMap((tool, index) => toolText(tool, target, `tools[${index}]`, losses));
  const head: BodyMember[] = [['model', JSON.stringify(target.model)]];
  if (instructions !== undefined) head.push(['instructions', instructions]);
  if (tools.length > 0) head.push(['tools', `[${tools.join(',')}]`]);
  const { store: _store, include, ...extra } = parts.extra;
  const tail = paramMembers(parts.params, parts.extra, target, losses);
  const asked = tail.some(([name]) => name === 'include');
  const further = include === undefined || asked ? extra : { ...extra, include };
  return {
    ...frameText(head, 'input', tail, further),
    lead: [],
    base: `${instructions ?? ''}\n${tools.join(',')}`,
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
  const texts = system.flatMap((message) => message.text || []);
  const others = system.flatMap((message) => message.content).filter((block) => block.type !== 'text');
  if (others.length > 0) losses.push(dropped('system', 'unknown-block', 'only the text of system messages is sent'));
  return texts.length > 0 ? stringText(texts.join('\n\n'), 'system', losses) : undefined;
}

/** The exact text that stood in `instructions`. */
function ownInstructions({ raw, origin }: Message): string | undefined {
  if (origin.dialect !== DIALECT) return undefined;
  const value = parseJson(raw);
  if (!isObject(value) || value.role !== 'system' || typeof value.content !== 'string') return undefined;
  return Object.keys(value).length === 2 ? textAt(raw, ['content']) : undefined;
}

/**
 * `strict` is sent as false: when it is missing, the API makes every schema strict and with it every optional
 * argument required. Who wants that gives the tool in this API's own words.
 */
function toolText(tool: ToolDefinition, target: Target, path: string, losses: LossNote[]): string[] {
  if ('native' in tool) {
    if (tool.dialect === DIALECT) return [tool.native];
    losses.push(dropped(path, 'server-tool', `a tool of ${tool.dialect} means nothing here`));
    return [];
  }
  const name = targetToolName(tool.name, target.provider.policies, `${path}.name`, losses);
  const description =
    tool.description === undefined ? '' : `"description":${stringText(tool.description, path, losses)},`;
  const parameters = typeof tool.parameters === 'string' ? tool.parameters : JSON.stringify(tool.parameters);
  return [`{"type":"function","name":${JSON.stringify(name)},${description}"parameters":${parameters},"strict":false}`];
}
