import type { JsonObject, RequestParams, Stop, ToolDefinition } from '@skein/core';
import { type BlockEvent, createMessage, forModel } from '@skein/core/dialect';
import type { AnswerSource } from './answer.ts';
import type { Target } from './client-call.ts';

/** What the model calls with its answer, where it cannot be asked for JSON in another way. */
export const ANSWER_TOOL = 'final_answer';

/** Tools and tool choice that make the model call a tool with its answer; undefined if it cannot be made to. */
export function askByTool(
  schema: JsonObject | undefined,
  { tools, params }: { readonly tools: readonly ToolDefinition[]; readonly params: RequestParams },
  { provider, model }: Target,
): { readonly tools: readonly ToolDefinition[]; readonly params: RequestParams } | undefined {
  const { alwaysThinks = { default: false } } = provider.policies.quirks;
  if (forModel(alwaysThinks, model)) return undefined;
  const answer = {
    name: ANSWER_TOOL,
    description: 'Gives the final answer. Call it once, when everything else is done.',
    parameters: schema ?? { type: 'object', additionalProperties: true },
  };
  const { toolChoice } = params;
  const isFree = tools.length > 0 && toolChoice !== 'none';
  const choice = typeof toolChoice === 'object' ? toolChoice : isFree ? 'required' : { name: ANSWER_TOOL };
  return { tools: [...tools, answer], params: { ...params, toolChoice: choice } };
}

/** An answer in which the call of the answer's tool is the text that the client wants. */
export function unwrapAnswer(source: AnswerSource): AnswerSource {
  return {
    ...source,
    events: unwrapEvents(source.events),
    reply() {
      const reply = source.reply();
      const { raw, origin, role, facts } = reply.message;
      const content = reply.message.content.map(asText);
      const message = createMessage(raw, origin, () => ({ role, content, needs: facts.needs }));
      return { ...reply, message, stop: unwrapStop(reply.stop, content) };
    },
  };
}

type Block = (BlockEvent & { readonly type: 'block-end' })['block'];

function asText(block: Block): Block {
  return block.type === 'tool-use' && block.name === ANSWER_TOOL ? { type: 'text', text: block.rawParameters } : block;
}

function unwrapStop(stop: Stop, content: readonly Block[]): Stop {
  const isAnswer = stop.reason === 'tool-use' && !content.some(({ type }) => type === 'tool-use');
  return isAnswer ? { reason: 'end', native: undefined } : stop;
}

async function* unwrapEvents(batches: AsyncIterable<readonly BlockEvent[]>): AsyncGenerator<readonly BlockEvent[]> {
  /** Calls whose name is not known yet. */
  const begun = new Map<number, BlockEvent>();
  const answers = new Set<number>();
  const unwrap = (event: BlockEvent): readonly BlockEvent[] => {
    if (!('index' in event)) return [event];
    const { index } = event;
    if (event.type === 'block-start' && event.kind === 'tool-use') {
      begun.set(index, event);
      return [];
    }
    if (event.type === 'tool-use' && event.name === ANSWER_TOOL) {
      begun.delete(index);
      answers.add(index);
      return [{ type: 'block-start', index, kind: 'text' }];
    }
    const start = begun.get(index);
    begun.delete(index);
    const before = start ? [start] : [];
    if (!answers.has(index) && event.type !== 'block-end') return [...before, event];
    if (event.type === 'tool-arguments') return [{ type: 'text', index, text: event.text }];
    return event.type === 'block-end' ? [...before, { ...event, block: asText(event.block) }] : [event];
  };
  for await (const events of batches) yield events.flatMap(unwrap);
}
