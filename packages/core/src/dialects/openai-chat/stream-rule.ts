import type { MergeRule, RecordNode, Tree } from '../../json/index.ts';

/** How the deltas of this protocol join: these strings come whole, all others in pieces. */
export const RULE: MergeRule = {
  replaced: new Set([
    'role',
    'id',
    'type',
    'name',
    'format',
    'signature',
    'channel',
    'object',
    'model',
    'status',
    'finish_reason',
    'tool_call_id',
  ]),
  placed: new Set(['tool_calls']),
};

export function oneMember(name: string, value: Tree): RecordNode {
  return { kind: 'record', members: [{ name, value }] };
}
