import type { Protocol } from '@skein/emulator';

type Value = Record<string, unknown>;

/** Parts of a request's messages that never became complete: an API would refuse them, or take them for something else. */
export function incompleteParts(protocol: Protocol, body: string): string[] {
  const value = JSON.parse(body) as Value;
  switch (protocol) {
    case 'openai-chat':
    case 'cohere-chat':
      return list(value.messages).flatMap((message) => list(message.tool_calls).flatMap(badChatCall));
    case 'openai-responses':
      return list(value.input).flatMap(badItem);
    case 'anthropic-messages':
      return list(value.messages).flatMap((message) => list(message.content).flatMap(badBlock));
    case 'google-generatecontent':
      return list(value.contents).flatMap((content) => list(content.parts).flatMap(badPart));
    case 'bedrock-converse':
      return list(value.messages).flatMap((message) => list(message.content).flatMap(badConverseBlock));
    case 'google-interactions':
      return list(value.input).flatMap(badStep);
  }
}

function badChatCall({ function: called, id }: Value): string[] {
  const { name, arguments: text } = called as Value;
  return typeof id === 'string' && typeof name === 'string' && isObjectText(text) ? [] : ['a call'];
}

function badItem(item: Value, index: number, items: readonly Value[]): string[] {
  // Calls that a program makes are given as in progress even when they are complete (recorded).
  if (item.status === 'in_progress' && !('caller' in item)) return ['an item in progress'];
  if (item.type === 'function_call' && !isObjectText(item.arguments)) return ['a call'];
  const next = items[index + 1];
  const isFollowed = next !== undefined && next.role !== 'user' && next.type !== 'function_call_output';
  return item.type === 'reasoning' && !isFollowed ? ['reasoning that nothing follows'] : [];
}

function badBlock(block: Value, index: number, blocks: readonly Value[]): string[] {
  if (block.type === 'text' && block.text === '') return ['an empty text'];
  if (block.type === 'thinking' && !block.signature) return ['thinking without its signature'];
  if (String(block.type).endsWith('tool_use') && (typeof block.input !== 'object' || block.input === null))
    return ['a call'];
  const isAnswered = blocks.slice(index).some((other) => other.tool_use_id === block.id);
  return block.type === 'server_tool_use' && !isAnswered ? ['a server call without its result'] : [];
}

function badConverseBlock({ text, reasoningContent, toolUse }: Value): string[] {
  if (text === '') return ['an empty text'];
  const shown = (reasoningContent as Value | undefined)?.reasoningText as Value | undefined;
  if (shown && !shown.signature) return ['thinking without its signature'];
  return toolUse && typeof (toolUse as Value).input !== 'object' ? ['a call'] : [];
}

function badStep(step: Value): string[] {
  if (step.signature === '') return ['an empty signature'];
  const isCall = step.type === 'function_call';
  return isCall && (typeof step.arguments !== 'object' || !step.id || !step.name) ? ['a call'] : [];
}

function badPart(part: Value): string[] {
  const call = part.functionCall as Value | undefined;
  const isWhole = call === undefined || (typeof call.name === 'string' && call.name !== '' && !('partialArgs' in call));
  return isWhole && Object.keys(part).length > 0 ? [] : ['a part'];
}

function isObjectText(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function list(value: unknown): Value[] {
  return Array.isArray(value) ? value.filter((item): item is Value => typeof item === 'object' && item !== null) : [];
}
