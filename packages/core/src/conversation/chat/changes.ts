import type { Notice } from '../../run/index.ts';
import type { Prefix } from './state.ts';

/** Notices of what stands before the messages now and did not when the state was made: then caches miss. */
export function prefixChanges(before: Prefix | undefined, now: Prefix): readonly Notice[] {
  if (!before) return [];
  const system = firstDifference(before.system, now.system);
  const tools = firstDifference(
    before.tools.map((tool) => tool.join('\n')),
    now.tools.map((tool) => tool.join('\n')),
  );
  const name = (now.tools[tools] ?? before.tools[tools])?.[0];
  return [
    ...(system < 0 ? [] : [changed(`system message ${system}`, { part: 'system', index: system })]),
    ...(name === undefined ? [] : [changed(`tool ${tools} (${name})`, { part: 'tools', index: tools, name })]),
  ];
}

function changed(where: string, at: NonNullable<Notice['at']>): Notice {
  return { code: 'prefix-changed', message: `Since the state was made, the ${at.part} changed, from ${where} on`, at };
}

/** -1 when both lists are the same. */
function firstDifference(before: readonly string[], now: readonly string[]): number {
  const longer = before.length > now.length ? before : now;
  return longer.findIndex((_, index) => before[index] !== now[index]);
}
