import type { Accumulated } from './accumulated.ts';
import type { SseEvent } from './events-of.ts';
import { isRecord, listAt, numberText, parseSource, recordAt, type Source, type SourceObject } from './source-json.ts';

/** Every event is a whole response: parts append, of everything else the last word counts. */
export function accumulate(events: readonly SseEvent[]): Accumulated {
  const contents = new Map<string, SourceObject>();
  const candidates = new Map<string, SourceObject>();
  const envelope: SourceObject = {};
  for (const { data } of events) {
    const response = parseSource(data);
    if (!isRecord(response) || 'error' in response) continue;
    lastWord(envelope, response);
    for (const candidate of listAt(response, 'candidates').filter(isRecord)) {
      const index = numberText(candidate.index) ?? '0';
      const known = candidates.get(index) ?? {};
      candidates.set(index, lastWord(known, candidate));
      const content = contents.get(index) ?? {};
      const { parts: _, ...others } = recordAt(candidate, 'content');
      lastWord(content, others);
      const parts = [...listAt(content, 'parts'), ...listAt(recordAt(candidate, 'content'), 'parts')];
      if ('parts' in recordAt(candidate, 'content')) content.parts = parts;
      contents.set(index, content);
    }
  }
  for (const candidate of candidates.values()) if ('content' in candidate) candidate.content = null;
  if (candidates.size > 0) envelope.candidates = [...candidates.values()];
  return { messages: [...contents.values()], envelope };
}

function lastWord(target: SourceObject, members: SourceObject): SourceObject {
  for (const [name, value] of Object.entries(members)) if (!isBlank(value) || !(name in target)) target[name] = value;
  return target;
}

function isBlank(value: Source): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}
