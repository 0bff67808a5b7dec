import type { LossNote } from '../loss.ts';
import { type BodyMember, frameText } from '../write/frame.ts';
import type { Frame, FrameParts, Target } from '../write/writer.ts';
import { isField } from './fields.ts';
import { generationConfig, toolConfig } from './write-params.ts';
import { systemText } from './write-system.ts';
import { toolsText } from './write-tools.ts';

const OWN_MEMBERS = ['systemInstruction', 'tools', 'contents', 'generationConfig', 'toolConfig'];

/** Model and streaming stand in the path of a request, not in its body. */
export function frame({ system, tools, params, extra }: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const instruction = systemText(system, losses);
  const declared = toolsText(tools, target, losses);
  const head = members([
    ['systemInstruction', instruction],
    ['tools', declared],
  ]);
  const tail = members([
    ['generationConfig', generationConfig(params, target, losses)],
    ['toolConfig', toolConfig(params, target, losses)],
  ]);
  const texts = frameText(head, 'contents', tail, camelCased(extra));
  return { ...texts, lead: [], base: `${instruction ?? ''}\n${declared ?? ''}`, losses };
}

function members(given: readonly (readonly [string, string | undefined])[]): BodyMember[] {
  return given.flatMap(([name, text]): BodyMember[] => (text === undefined ? [] : [[name, text]]));
}

/** A member in its other spelling is the same member: two of them would be refused. */
function camelCased(extra: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(extra).map(([name, text]) => [OWN_MEMBERS.find((own) => isField(name, own)) ?? name, text]),
  );
}
