import { isObject, type JsonObject, type Stop, type StopReason } from '@skein/core';
import type { TakeFacts } from '../../forest/write/append.ts';
import { type Exact, membersWithout, objectAt, textIn } from '../source/exact.ts';
import type { OlderNode, OlderRoot } from './read-files.ts';

const STOPS: Readonly<Record<string, StopReason>> = {
  stop: 'end',
  end_turn: 'end',
  STOP: 'end',
  tool_calls: 'tool-use',
  tool_use: 'tool-use',
  length: 'length',
  max_tokens: 'length',
  MAX_TOKENS: 'length',
  stop_sequence: 'stop-sequence',
  content_filter: 'filter',
  SAFETY: 'filter',
};

/** Members of `source_info` that a take has its own places for. */
const TAKEN = ['provider', 'model_name', 'parameters', 'finish_reason', 'usage'];

/** How a node of the older layout came to be. What has no place of its own is in `extra`, under the name it had. */
export function olderTakeFacts({ id, metadata, file }: OlderNode, root: OlderRoot): TakeFacts {
  const source = objectAt(metadata, 'source_info');
  const more = membersWithout(file, ['id', 'root_id', 'parent_id', 'child_ids', 'message', 'metadata']);
  const extra = {
    older: id,
    ...membersWithout(metadata, ['timestamp', 'source_info']),
    ...(source && { source_info: membersWithout(source, TAKEN) }),
    ...(Object.keys(more).length > 0 && { file: more }),
  };
  if (source?.value.type !== 'model') return { author: 'person', extra };
  return { author: 'model', extra, ...modelFacts(source, root) };
}

function modelFacts(source: Exact, { file }: OlderRoot): TakeFacts {
  const { value } = source;
  const config = isObject(file.value.config) ? file.value.config : {};
  const parameters = isObject(value.parameters) ? value.parameters : undefined;
  // Before the provider and model had members of their own, they stood in the parameters or in the root's settings.
  const model = textIn(value, 'model_name') ?? (parameters && textIn(parameters, 'model')) ?? textIn(config, 'model');
  const provider = textIn(value, 'provider') ?? textIn(config, 'provider');
  const usage = objectAt(source, 'usage');
  const finish = textIn(value, 'finish_reason');
  return {
    ...(provider && { provider }),
    ...(model && { model }),
    ...(parameters && { params: parameters }),
    ...(usage && { usage: usageOf(usage) }),
    ...(finish && { stop: stopOf(finish) }),
  };
}

function usageOf({ text, value }: Exact): NonNullable<TakeFacts['usage']> {
  const count = (usage: JsonObject, name: string) => (typeof usage[name] === 'number' ? (usage[name] as number) : 0);
  const buckets = { cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 };
  return { input: count(value, 'input_tokens'), output: count(value, 'output_tokens'), ...buckets, native: text };
}

function stopOf(native: string): Stop {
  return { reason: STOPS[native] ?? 'unknown', native };
}
