import { type ContentBlock, callRef, contentText, type Message } from '../../message/index.ts';
import { dropped, type LossNote, rewritten } from '../loss.ts';
import type { ToolDefinition } from '../request.ts';
import { type BodyMember, joinFrame } from '../write/frame.ts';
import { areArguments, toArguments } from '../write/translate.ts';
import type { CallLookup, Draft, Frame, FrameParts, RequestWriter, Target } from '../write/writer.ts';

export const writer: RequestWriter = {
  resultsFollow: 'message',
  splice: (message) => [ownDraft(message)],
  translate,
  result: (call, text) => toolDraft(call.id, [{ type: 'text', text }], false),
  userText: (text) => plainDraft('user', [{ type: 'text', text }], []),
  merge: () => undefined,
  frame,
};

/** A message may have the results of its own calls. */
function ownDraft({ raw, facts: { role, calls, results } }: Message): Draft {
  return {
    role: role as Draft['role'],
    text: raw,
    pieces: [{ start: 0, end: raw.length }],
    calls: calls.filter(({ id }) => !results.includes(id)),
    results,
    losses: [],
  };
}

/** Every block has a form here; only what its issuer alone can read is lost, and arguments that are not JSON. */
function translate(message: Message, _target: Target, calls: CallLookup): readonly Draft[] {
  const losses: LossNote[] = [];
  const content = message.content.flatMap((block, index): readonly ContentBlock[] => {
    const path = `content[${index}]`;
    if (block.type === 'reasoning') losses.push(rewritten(path, 'foreign-reasoning'));
    if (block.type !== 'tool-use') return [block];
    if (!areArguments(block.rawParameters) && message.facts.needs.includes('cut')) {
      losses.push(dropped(path, 'cut'));
      return [];
    }
    return [{ ...block, rawParameters: toArguments(block.rawParameters, `${path}.parameters`, losses) }];
  });
  const results = message.toolResults.map((result) => {
    const id = calls.find(result.toolCallId)?.id ?? result.toolCallId;
    return toolDraft(id, result.content, result.isError);
  });
  const others = content.filter((block) => block.type !== 'tool-result');
  if (others.length === 0) return results;
  const { role } = message;
  if (role === 'assistant') return [plainDraft(role, others, losses), ...results];
  return [...results, plainDraft(role === 'system' ? role : 'user', others, losses)];
}

function toolDraft(id: string, content: readonly ContentBlock[], isError: boolean): Draft {
  const failed = isError ? ',"is_error":true' : '';
  const text = `{"role":"tool","tool_call_id":${JSON.stringify(id)}${failed},"content":${contentText(content)}}`;
  return { role: 'tool', text, calls: [], results: [id], losses: [] };
}

function plainDraft(
  role: 'system' | 'user' | 'assistant',
  content: readonly ContentBlock[],
  losses: readonly LossNote[],
): Draft {
  const text = `{"role":"${role}","content":${contentText(content)}}`;
  const calls = content.flatMap((block) => (block.type === 'tool-use' ? [callRef(block)] : []));
  return { role, text, calls, results: [], losses };
}

function frame(parts: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const tools = parts.tools.flatMap((tool) => toolText(tool, losses)).join(',');
  const lead = parts.system.map((message) =>
    message.origin.dialect === 'blocks' ? message.raw : `{"role":"system","content":${contentText(message.content)}}`,
  );
  const head: BodyMember[] = [
    ['model', JSON.stringify(target.model)],
    ['tools', tools ? `[${tools}]` : undefined],
  ];
  const params = JSON.stringify(parts.params);
  const tail: BodyMember[] = [['params', params === '{}' ? undefined : params]];
  return {
    ...joinFrame(head, 'messages', tail, parts.extra),
    lead,
    base: `${lead.join(',')}\n${tools}`,
    losses,
  };
}

function toolText(tool: ToolDefinition, losses: LossNote[]): string[] {
  if ('native' in tool) {
    if (tool.dialect === 'blocks') return [tool.native];
    losses.push(dropped('tools', 'server-tool', tool.dialect));
    return [];
  }
  const { name, description, parameters } = tool;
  const text = typeof parameters === 'string' ? parameters : JSON.stringify(parameters);
  return [`${JSON.stringify({ name, description }).slice(0, -1)},"parameters":${text}}`];
}
