import { type Edit, skipSpace } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import { splicer, type Target, type Unit } from '../write/index.ts';
import { withClientCalls } from './client-calls.ts';
import { CACHE_MARKER } from './needs.ts';
import { repair } from './repair.ts';
import { needsCiphertext } from './storage.ts';

const spliceItems = /* @__PURE__ */ splicer({
  markers: [`content.*.${CACHE_MARKER}`, `output.*.${CACHE_MARKER}`],
  isDoubtful: ({ raw, facts }, target) => facts.needs.includes('bound') && needsCiphertext(target) && !isSealed(raw),
  repair,
  outside,
});

/** The calls of computers are not among the calls that results are matched with. */
export function spliceMessage(
  message: Message,
  target: Target,
  options: { readonly dropBound: boolean },
): readonly Unit[] {
  const units = spliceItems(message, target, options).map(withClientCalls);
  return message.raw.includes('"computer_call_output"') ? units.map((unit) => ({ ...unit, results: [] })) : units;
}

/** Whether every reasoning item has its ciphertext, by counting. In doubt no: then the items are looked at. */
function isSealed(raw: string): boolean {
  const count = (pattern: RegExp): number => raw.match(pattern)?.length ?? 0;
  return !raw.includes('"compaction"') && count(/"reasoning"/g) === count(/"encrypted_content"\s*:\s*"/g);
}

/** The items of a turn go without its brackets. */
function outside(raw: string): Edit[] {
  const open = skipSpace(raw, 0);
  if (raw[open] !== '[') return [];
  return [
    { start: 0, end: open + 1, text: '' },
    { start: raw.lastIndexOf(']'), end: raw.length, text: '' },
  ];
}
