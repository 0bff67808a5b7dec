import type { z } from '@hono/zod-openapi';
import { describeLoss, type Loss } from '@skein/core';
import type { ForestNode, TakeRecord } from '@skein/forest';
import type { Redactor } from '../redact.ts';
import { toBlock } from './schemas/blocks.ts';
import type { Node, Take } from './schemas/forest.ts';
import type { DescribedLoss } from './schemas/generation.ts';

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

/** `message` is absent for losses of the request as a whole, or of a reply. */
export function lossView({
  message = -1,
  path,
  ...loss
}: Omit<Loss, 'message'> & { readonly message?: number; readonly node?: string }): z.infer<typeof DescribedLoss> {
  return {
    ...loss,
    ...(message >= 0 && { message }),
    ...(path !== '' && { path }),
    text: describeLoss({ ...loss, message, path }),
  };
}
