import type { Accumulated } from './accumulated.ts';
import type { SseEvent } from './events-of.ts';
import { isRecord, listAt, numberText, parseSource, recordAt, type Source, type SourceObject } from './source-json.ts';

/** Strings that are sent whole in every chunk; all others arrive in pieces. */
const WHOLE = new Set(['id', 'type', 'name', 'role', 'format', 'signature', 'channel']);

/** Lists of parts: of content, and of a thought in it. */
const PARTS = new Set(['content', 'thinking']);

/** Deltas by choice, calls and reasoning details by their index; of everything else the last value that is one counts, member by member. */
export function accumulate(events: readonly SseEvent[]): Accumulated {
  const messages = new Map<string, SourceObject>();
  const choices = new Map<string, SourceObject>();
  const envelope: SourceObject = {};
  for (const { event, data } of events) {
    if (data === '[DONE]' || event === 'error') continue;
    const chunk = parseSource(data);
    if (!isRecord(chunk) || (!Array.isArray(chunk.choices) && !isRecord(chunk.usage))) continue;
    lastValue(envelope, chunk);
    for (const choice of listAt(chunk, 'choices').filter(isRecord)) {
      const index = numberText(choice.index) ?? '0';
      const { delta: _, logprobs, ...others } = choice;
      const known = choices.get(index) ?? { message: null };
      choices.set(index, lastValue(known, others));
      if (logprobs !== undefined) known.logprobs = joined('logprobs', known.logprobs ?? null, logprobs);
      const message = messages.get(index) ?? {};
      messages.set(index, message);
      merge(message, recordAt(choice, 'delta'));
    }
  }
  for (const message of messages.values()) for (const call of listAt(message, 'tool_calls')) dropIndex(call);
  envelope.choices = [...choices.values()];
  return { messages: [...messages.values()].map((message) => ({ role: 'assistant', ...message })), envelope };
}

function merge(target: SourceObject, delta: SourceObject): void {
  for (const [name, value] of Object.entries(delta)) target[name] = joined(name, target[name] ?? null, value);
}

function joined(name: string, before: Source, value: Source): Source {
  if (value === null) return before;
  if (before === null) return Array.isArray(value) ? addItems(name, [], value) : structuredClone(value);
  if (typeof before === 'string' && typeof value === 'string')
    return WHOLE.has(name) ? value || before : before + value;
  if (name === 'content' && Array.isArray(before) && typeof value === 'string')
    return addItems(name, before, value === '' ? [] : [{ type: 'text', text: value }]);
  if (name === 'content' && typeof before === 'string' && Array.isArray(value))
    return addItems(name, before === '' ? [] : [{ type: 'text', text: before }], value);
  if (Array.isArray(before) && Array.isArray(value)) return addItems(name, before, value);
  if (isRecord(before) && isRecord(value) && numberText(value) === undefined) merge(before, value);
  else return value;
  return before;
}

function addItems(name: string, list: Source[], items: readonly Source[]): Source[] {
  for (const item of items) {
    if (isRecord(item) && item.type === 'text' && item.text === '' && PARTS.has(name)) continue;
    const candidates = PARTS.has(name) ? list.slice(-1) : list;
    const same = isRecord(item)
      ? candidates.findLast((other) => isRecord(other) && continues(name, other, item))
      : undefined;
    if (isRecord(same) && isRecord(item)) merge(same, item);
    else list.push(structuredClone(item));
  }
  return list;
}

/** Whether a fragment belongs to an element: by index, and for reasoning also by type; a part of content to the one of its type just before it. */
function continues(name: string, other: SourceObject, item: SourceObject): boolean {
  const index = numberText(item.index);
  if (name === 'tool_calls') return index !== undefined && numberText(other.index) === index;
  if (name === 'reasoning_details')
    return index !== undefined && numberText(other.index) === index && other.type === item.type;
  return PARTS.has(name) && item.type !== undefined && other.type === item.type;
}

function dropIndex(call: Source): void {
  if (isRecord(call)) delete call.index;
}

function lastValue(target: SourceObject, members: SourceObject): SourceObject {
  for (const [name, value] of Object.entries(members)) {
    const before = target[name];
    if (isRecord(before) && isRecord(value) && numberText(value) === undefined)
      target[name] = lastValue({ ...before }, value);
    else if ((value !== null && value !== '') || !(name in target)) target[name] = value;
  }
  return target;
}
