import type { ForestNode } from '../../forest/types.ts';
import type { TakeRecord } from '../../model/index.ts';

/** What the older layout says of a node: when, by whom, and what people said of it. */
export function olderMetadata({ takes, at, marks }: ForestNode, rootId: string): Record<string, unknown> {
  const take = takes.find(({ author }) => author === 'model') ?? takes[0];
  const {
    custom_data: data,
    split_source: split,
    source_info: source,
  } = (take?.extra ?? {}) as Record<string, unknown>;
  return {
    timestamp: new Date(take?.at ?? at).toISOString(),
    original_root_id: rootId,
    source_info: { ...sourceInfo(take), ...(typeof source === 'object' && source) },
    ...(marks.tags.length > 0 && { tags: marks.tags }),
    ...(data !== undefined && { custom_data: data }),
    ...(split !== undefined && { split_source: split }),
  };
}

function sourceInfo(take: TakeRecord | undefined): Record<string, unknown> {
  if (take?.author !== 'model') return { type: take?.author === 'tool' ? 'tool_result' : 'user' };
  const { provider, model, params, stop, usage } = take;
  return {
    type: 'model',
    ...(provider && { provider }),
    ...(model && { model_name: model }),
    ...(params && { parameters: params }),
    ...(stop?.native && { finish_reason: stop.native }),
    ...(usage && { usage: { input_tokens: usage.input, output_tokens: usage.output } }),
  };
}
