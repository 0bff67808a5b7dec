import type { Accumulated } from './accumulated.ts';
import type { SseEvent } from './events-of.ts';
import { isRecord, listAt, numberText, parseSource, recordAt, type Source, type SourceObject } from './source-json.ts';

/** Blocks in the order they begin, deltas by their documented meaning; what a `message_delta` says replaces what the start said. */
export function accumulate(events: readonly SseEvent[]): Accumulated {
  const content: SourceObject[] = [];
  const byIndex = new Map<string, SourceObject>();
  const begin = (index: string, block: SourceObject): void => {
    content.push(block);
    byIndex.set(index, block);
  };
  const json = new Map<SourceObject, string>();
  let envelope: SourceObject | undefined;
  for (const { data } of events) {
    const value = parseSource(data);
    if (!isRecord(value)) continue;
    const index = numberText(value.index) ?? '';
    const block = byIndex.get(index);
    if (value.type === 'message_start' && !envelope) {
      envelope = { ...recordAt(value, 'message') };
      for (const [at, item] of listAt(envelope, 'content').entries()) if (isRecord(item)) begin(String(at), item);
    } else if (value.type === 'content_block_start') begin(index, { ...recordAt(value, 'content_block') });
    else if (value.type === 'content_block_delta' && block) addDelta(block, recordAt(value, 'delta'), json);
    else if (value.type === 'message_delta') {
      envelope ??= {};
      const { type: _, delta: __, usage, ...others } = value;
      replace(envelope, recordAt(value, 'delta'));
      replace(envelope, others);
      if (isRecord(usage)) envelope.usage = replace({ ...recordAt(envelope, 'usage') }, usage);
    }
  }
  for (const [block, text] of json) if (text.trim() !== '') block.input = parsedOr(text);
  const role = envelope?.role ?? 'assistant';
  return {
    messages: [{ role, content }],
    envelope: { ...envelope, content: null },
  };
}

function addDelta(block: SourceObject, delta: SourceObject, json: Map<SourceObject, string>): void {
  const text = (name: string): string => (typeof delta[name] === 'string' ? delta[name] : '');
  const grown = (name: string): string => (typeof block[name] === 'string' ? block[name] : '') + text(name);
  switch (delta.type) {
    case 'text_delta':
      block.text = grown('text');
      break;
    case 'thinking_delta':
      block.thinking = grown('thinking');
      break;
    case 'signature_delta':
      block.signature = text('signature');
      break;
    case 'input_json_delta':
      json.set(block, (json.get(block) ?? '') + text('partial_json'));
      break;
    case 'citations_delta':
      block.citations = [...listAt(block, 'citations'), delta.citation ?? null];
      break;
    case 'compaction_delta':
      replace(block, Object.fromEntries(Object.entries(delta).filter(([name]) => name !== 'type')));
      break;
  }
}

/** Arguments that never became JSON stay the text they are. */
function parsedOr(text: string): Source {
  try {
    return parseSource(text);
  } catch {
    return text;
  }
}

function replace(target: SourceObject, members: SourceObject): SourceObject {
  for (const [name, value] of Object.entries(members)) if (value !== null || !(name in target)) target[name] = value;
  return target;
}
