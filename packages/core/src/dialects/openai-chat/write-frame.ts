import type { LossNote } from '../loss.ts';
import type { FunctionTool, NativeTool, RequestParams, ToolDefinition } from '../request.ts';
import { type BodyMember, frameText } from '../write/frame.ts';
import { dropped } from '../write/notes.ts';
import { stringText } from '../write/text.ts';
import { targetToolName } from '../write/tool-names.ts';
import type { Frame, FrameParts, Target, Unit } from '../write/writer.ts';
import { quirk } from './quirks.ts';
import { spliceMessage } from './splice-message.ts';
import { systemUnits } from './translate-message.ts';

/** System messages stand first in the message list, in their own words where this issuer gave them. */
export function frame(parts: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const tools = parts.tools.flatMap((tool) => toolText(tool, target, losses));
  const lead = parts.system.flatMap((message): readonly Unit[] => {
    const { dialect, issuer } = message.origin;
    return dialect === target.provider.dialect && issuer === target.provider.issuer
      ? spliceMessage(message, target, { dropBound: false })
      : systemUnits(message, target);
  });
  losses.push(...lead.flatMap((unit) => unit.losses));
  const head: BodyMember[] = [['model', JSON.stringify(target.model)]];
  if (tools.length > 0) head.push(['tools', `[${tools.join(',')}]`]);
  const hasTools = tools.length > 0 || 'tools' in parts.extra;
  const texts = lead.map((unit) => unit.text);
  return {
    ...frameText(head, 'messages', paramMembers(parts.params, hasTools, target, losses), parts.extra),
    lead: texts,
    base: `${texts.join(',')}\n${tools.join(',')}`,
    losses,
  };
}

function toolText(tool: ToolDefinition, target: Target, losses: LossNote[]): string[] {
  if (isNative(tool)) {
    if (tool.dialect === 'openai-chat') return [tool.native];
    losses.push(dropped('tools', 'server-tool', `a tool in the words of ${tool.dialect} is not taken here`));
    return [];
  }
  const name = targetToolName(tool.name, target.provider.policies, 'tools', losses);
  const description =
    tool.description === undefined ? '' : `,"description":${stringText(tool.description, 'tools', losses)}`;
  const parameters = typeof tool.parameters === 'string' ? tool.parameters : JSON.stringify(tool.parameters);
  return [`{"type":"function","function":{"name":${JSON.stringify(name)}${description},"parameters":${parameters}}}`];
}

function isNative(tool: FunctionTool | NativeTool): tool is NativeTool {
  return 'native' in tool;
}

function paramMembers(params: RequestParams, hasTools: boolean, target: Target, losses: LossNote[]): BodyMember[] {
  const members: [string, unknown][] = [
    [String(quirk('maxTokensField', target)), params.maxTokens],
    ['temperature', params.temperature],
    ['top_p', params.topP],
    ['stop', params.stop],
    ['seed', params.seed],
    ['reasoning_effort', params.reasoning?.effort],
  ];
  if (params.reasoning?.budget !== undefined)
    losses.push(dropped('params.reasoning.budget', 'parameter', 'the protocol takes a level of effort, not a budget'));
  members.push(...toolMembers(params, hasTools, target, losses));
  if (params.stream === true) {
    members.push(['stream', true]);
    if (quirk('streamUsage', target) === true) members.push(['stream_options', { include_usage: true }]);
  }
  return members.flatMap(([name, value]): BodyMember[] => (value === undefined ? [] : [[name, JSON.stringify(value)]]));
}

/** How tools are chosen can only be said where there are tools (`tool-choice-no-tools`, `parallel-no-tools`). */
function toolMembers(
  { toolChoice, parallelToolCalls }: RequestParams,
  hasTools: boolean,
  target: Target,
  losses: LossNote[],
): [string, unknown][] {
  if (!hasTools) {
    for (const [name, value] of Object.entries({ toolChoice, parallelToolCalls })) {
      if (value !== undefined) losses.push(dropped(`params.${name}`, 'parameter', 'there are no tools to choose from'));
    }
    return [];
  }
  const choice =
    typeof toolChoice === 'object'
      ? {
          type: 'function',
          function: { name: targetToolName(toolChoice.name, target.provider.policies, 'params.toolChoice', losses) },
        }
      : toolChoice;
  return [
    ['tool_choice', choice],
    ['parallel_tool_calls', parallelToolCalls],
  ];
}
