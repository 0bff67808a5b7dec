import type { ContentBlock } from '@skein/core';
import type { ForestNode, TakeRecord } from '@skein/forest';

/** A node for programs, as the API shows it. */
export function nodeView({ message, takes, ...node }: ForestNode) {
  return { ...node, text: message.text, content: message.content.map(blockView), takes: takes.map(takeView) };
}

/** Arguments go as their exact text: an integer that a double cannot hold would become another one. */
function blockView(block: ContentBlock): object {
  if (block.type === 'tool-use') {
    const { parameters: _byValue, ...rest } = block;
    return rest;
  }
  if (block.type === 'tool-result') return { ...block, content: block.content.map(blockView) };
  return block;
}

function takeView({ k: _k, node: _node, origin, envelope: _e, request, extra: _x, usage, ...rest }: TakeRecord) {
  const { native: _native, ...buckets } = usage ?? {};
  return {
    ...rest,
    issuer: origin.issuer,
    hasRequest: request !== undefined,
    ...(usage && { usage: buckets }),
  };
}
