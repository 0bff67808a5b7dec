import { isObject, type JsonObject, type Stop, type StopReason, system } from '@skein/core';
import {
  type AppendPoint,
  createMessageTake,
  makeNodeRecords,
  ROOT_POINT,
  type TakeFacts,
} from '../../forest/index.ts';
import type { StoreRecord } from '../../model/records.ts';
import { sourceStamp } from '../imported-thread.ts';
import { type ExactObject, objectAt, otherMembers, readTime, textMember } from '../source/exact-json.ts';
import type { OlderNode, OlderRoot } from './older-files.ts';

interface ConvertedRecords {
  readonly place: AppendPoint;
  readonly records: readonly StoreRecord[];
}

/** Converts a root. Its first messages follow its system prompt, if it has one. */
export function convertRoot(root: OlderRoot): ConvertedRecords {
  if (root.systemPrompt === undefined) return { place: ROOT_POINT, records: [] };
  const at = readTime(root.createdAt) ?? 0;
  const message = system(root.systemPrompt);
  const { node, body, next } = makeNodeRecords(ROOT_POINT, message, at);
  const extra = { older: root.id };
  return { place: next, records: [body, node, createMessageTake(message, node.id, { via: 'import', at, extra })] };
}

/** All members of a root except its id and its children. */
export function rootFacts(root: OlderRoot): Record<string, unknown> {
  return otherMembers(root.file, ['id', 'child_ids']);
}

/** Converts a node below its converted parent: the node, its body, its take and its tags. */
export function convertNode(node: OlderNode, root: OlderRoot, parent: AppendPoint): ConvertedRecords {
  const at = readOlderTime(node, root);
  const made = makeNodeRecords(parent, node.message, at);
  const take = createMessageTake(node.message, made.node.id, { via: 'import', ...readTakeFacts(node, root), at });
  return { place: made.next, records: [made.body, made.node, take, ...tagRecords(node, made.node.id, at)] };
}

export function readOlderTime(node: OlderNode, root: OlderRoot): number {
  return readTime(node.metadata.value.timestamp) ?? readTime(root.createdAt) ?? 0;
}

function tagRecords({ metadata }: OlderNode, id: string, at: number): StoreRecord[] {
  const { tags } = metadata.value;
  const names = Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string' && tag.trim() !== '') : [];
  return names.map((tag) => ({
    k: 'ref',
    on: 'node',
    key: id,
    name: `tag:${tag}`,
    value: true,
    clock: sourceStamp(at),
  }));
}

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

/** Members of `source_info` that have a member of their own in a take. */
const TAKEN = ['provider', 'model_name', 'parameters', 'finish_reason', 'usage'];

/** The take of an older node. Members that a take does not have are kept in `extra`, under their names. */
function readTakeFacts({ id, metadata, file }: OlderNode, root: OlderRoot): TakeFacts {
  const source = objectAt(metadata, 'source_info');
  const more = otherMembers(file, ['id', 'root_id', 'parent_id', 'child_ids', 'message', 'metadata']);
  const extra = {
    older: id,
    ...otherMembers(metadata, ['timestamp', 'source_info']),
    ...(source && { source_info: otherMembers(source, TAKEN) }),
    ...(Object.keys(more).length > 0 && { file: more }),
  };
  if (source?.value.type !== 'model') return { author: 'person', extra };
  return { author: 'model', extra, ...modelFacts(source, root) };
}

function modelFacts(source: ExactObject, { file }: OlderRoot): TakeFacts {
  const { value } = source;
  const config = isObject(file.value.config) ? file.value.config : {};
  const parameters = isObject(value.parameters) ? value.parameters : undefined;
  // Early files have provider and model in the parameters or in the settings of the root.
  const model =
    textMember(value, 'model_name') ?? (parameters && textMember(parameters, 'model')) ?? textMember(config, 'model');
  const provider = textMember(value, 'provider') ?? textMember(config, 'provider');
  const usage = objectAt(source, 'usage');
  const finish = textMember(value, 'finish_reason');
  return {
    ...(provider && { provider }),
    ...(model && { model }),
    ...(parameters && { params: parameters }),
    ...(usage && { usage: readOlderUsage(usage) }),
    ...(finish && { stop: readOlderStop(finish) }),
  };
}

function readOlderUsage({ text, value }: ExactObject): NonNullable<TakeFacts['usage']> {
  const count = (usage: JsonObject, name: string) => (typeof usage[name] === 'number' ? (usage[name] as number) : 0);
  const buckets = { cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 };
  return { input: count(value, 'input_tokens'), output: count(value, 'output_tokens'), ...buckets, native: text };
}

function readOlderStop(native: string): Stop {
  return { reason: STOPS[native] ?? 'unknown', native };
}
