import type { z } from '@hono/zod-openapi';
import type { ContentBlock } from '@skein/core';
import type { ForestNode, TakeRecord } from '@skein/forest';
import type { Redact } from '../redact.ts';
import type { Block, Node, Take } from './schemas.ts';

/** A node as it is shown: blocks in the provider's order, without texts that only machines read. */
export function nodeView(node: ForestNode, redact: Redact): z.infer<typeof Node> {
  const { id, parent, depth, role, at, dialect, message, takes, childCount, removed, marks } = node;
  return {
    id,
    parent,
    depth,
    role,
    at,
    dialect,
    content: redact(message.content.map(blockView)),
    takes: takes.map(takeView),
    childCount,
    removed,
    marks: redact({ ...marks, tags: [...marks.tags] }),
  };
}

export function nodeViews(nodes: readonly ForestNode[], redact: Redact): z.infer<typeof Node>[] {
  return nodes.map((node) => nodeView(node, redact));
}

export function threadView<T extends { readonly tags: readonly string[] }>(
  thread: T,
): Omit<T, 'tags'> & { tags: string[] } {
  return { ...thread, tags: [...thread.tags] };
}

/** Arguments go as their exact text: an integer that a double cannot hold would be another one on the page. */
function blockView(block: ContentBlock): z.infer<typeof Block> {
  if (block.type === 'tool-use') {
    const { parameters: _byValue, ...rest } = block;
    return rest;
  }
  if (block.type === 'tool-result') return { ...block, content: block.content.map(blockView) };
  return { ...block };
}

function takeView(take: TakeRecord): z.infer<typeof Take> {
  const {
    k: _k,
    node: _node,
    origin,
    usage,
    envelope: _e,
    request,
    params: _p,
    extra: _x,
    context: _c,
    ...rest
  } = take;
  return {
    ...rest,
    issuer: origin.issuer,
    cut: origin.cut === true,
    hasRequest: request !== undefined,
    ...(usage && { usage: usageView(usage) }),
  };
}

export function usageView({ native: _native, ...buckets }: NonNullable<TakeRecord['usage']>) {
  return buckets;
}
