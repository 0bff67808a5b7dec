import type { z } from '@hono/zod-openapi';
import type { ForestNode, TakeRecord } from '@skein/forest';
import type { Redactor } from '../redact.ts';
import { toBlock } from './schemas/blocks.ts';
import type { Node, Take } from './schemas/forest.ts';

/** A node as it is shown: blocks in the provider's order, without texts that only machines read. */
export function nodeView(node: ForestNode, redact: Redactor): z.infer<typeof Node> {
  const { id, parent, depth, role, at, dialect, message, takes, childCount, removed, marks } = node;
  return {
    id,
    parent,
    depth,
    role,
    at,
    dialect,
    content: redact(message.content.map(toBlock)),
    takes: takes.map(takeView),
    childCount,
    removed,
    marks: redact({ ...marks, tags: [...marks.tags] }),
  };
}

export function nodeViews(nodes: readonly ForestNode[], redact: Redactor): z.infer<typeof Node>[] {
  return nodes.map((node) => nodeView(node, redact));
}

export function threadView<T extends { readonly tags: readonly string[] }>(
  thread: T,
): Omit<T, 'tags'> & { tags: string[] } {
  return { ...thread, tags: [...thread.tags] };
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
