/** A Converse request as the Messages body that Bedrock makes of it for Claude: the model's own rules are checked on that. */
import { asText, isObject, type Json, objects } from '../../json.ts';

export const isClaude = (model: string): boolean => /claude/i.test(model);

/** The messages, the system text, the tools and the settings in the words of the Messages API. */
export function toMessagesBody(body: Json): Json {
  const config = isObject(body.inferenceConfig) ? body.inferenceConfig : {};
  const tools = isObject(body.toolConfig) ? body.toolConfig : {};
  const choice = isObject(tools.toolChoice) ? toChoice(tools.toolChoice) : undefined;
  const listed = objects(tools.tools).flatMap(toTool);
  return {
    max_tokens: config.maxTokens ?? 64_000,
    ...(config.temperature !== undefined && { temperature: config.temperature }),
    ...(config.topP !== undefined && { top_p: config.topP }),
    ...(config.stopSequences !== undefined && { stop_sequences: config.stopSequences }),
    ...(objects(body.system).length > 0 && { system: toBlocks(body.system) }),
    ...(listed.length > 0 && { tools: listed }),
    ...(choice && { tool_choice: choice }),
    ...(isObject(body.additionalModelRequestFields) ? body.additionalModelRequestFields : {}),
    messages: objects(body.messages).map(({ role, content }) => ({ role, content: toBlocks(content) })),
  };
}

function toChoice({ any, tool }: Json): Json {
  if (any !== undefined) return { type: 'any' };
  return isObject(tool) ? { type: 'tool', name: tool.name } : { type: 'auto' };
}

function toTool({ toolSpec: spec }: Json): readonly Json[] {
  if (!isObject(spec)) return [];
  const schema = isObject(spec.inputSchema) ? spec.inputSchema.json : undefined;
  const description = spec.description === undefined ? {} : { description: spec.description };
  return [{ name: spec.name, ...description, input_schema: schema }];
}

/** Cache points mark the block before them, and are no blocks. */
function toBlocks(content: unknown): readonly Json[] {
  return objects(content).flatMap(toBlock);
}

function toBlock(block: Json): readonly Json[] {
  const { toolUse: use, toolResult: result, reasoningContent: thought } = block;
  if (block.cachePoint !== undefined) return [];
  if (isObject(use)) return [{ type: 'tool_use', id: use.toolUseId, name: use.name, input: use.input }];
  if (isObject(result))
    return [
      {
        type: 'tool_result',
        tool_use_id: result.toolUseId,
        ...(objects(result.content).length > 0 && { content: toBlocks(result.content) }),
        ...(result.status === 'error' && { is_error: true }),
      },
    ];
  if (isObject(thought)) return [toThinking(thought)];
  if (isObject(block.citationsContent)) return toBlocks(block.citationsContent.content);
  if (block.json !== undefined) return [{ type: 'text', text: JSON.stringify(block.json) }];
  if (isObject(block.image)) return [{ type: 'image', source: toSource(block.image, 'image') }];
  if (isObject(block.document)) return [{ type: 'document', source: toSource(block.document, 'application') }];
  if (isObject(block.guardContent)) return toBlocks([block.guardContent.text]);
  const text = asText(block.text);
  return text === undefined ? [] : [{ type: 'text', text }];
}

/** Ciphertexts are bytes to Converse, so their text is in base64 once more. */
function toThinking({ reasoningText: shown, redactedContent: hidden }: Json): Json {
  if (isObject(shown)) return { type: 'thinking', thinking: shown.text, signature: shown.signature };
  return { type: 'redacted_thinking', data: Buffer.from(`${hidden}`, 'base64').toString() };
}

function toSource({ format, source }: Json, kind: string): Json {
  const data = isObject(source) ? source.bytes : undefined;
  return { type: 'base64', media_type: `${kind}/${kind === 'image' ? format : 'pdf'}`, data };
}
