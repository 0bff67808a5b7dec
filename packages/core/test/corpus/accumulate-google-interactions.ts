import type { Accumulated } from './accumulated.ts';
import type { SseEvent } from './events-of.ts';
import { isRecord, listAt, numberText, parseSource, recordAt, type Source, type SourceObject } from './source-json.ts';

/** Steps start, grow by deltas and stop; of the interaction around them the last word counts. */
export function accumulate(events: readonly SseEvent[]): Accumulated {
  const steps = new Map<string, SourceObject>();
  const pieces = new Map<string, string>();
  const envelope: SourceObject = {};
  for (const { data } of events) {
    const event = data === '[DONE]' ? {} : parseSource(data);
    if (!isRecord(event)) continue;
    const index = numberText(event.index) ?? '';
    const { event_type: type, status } = event;
    if (isRecord(event.interaction)) Object.assign(envelope, event.interaction);
    if (type === 'interaction.status_update' && status !== undefined) envelope.status = status;
    if (type === 'step.start') steps.set(index, recordAt(event, 'step'));
    const step = steps.get(index);
    if (type !== 'step.delta' || !step) continue;
    const { type: kind, ...members } = recordAt(event, 'delta');
    if (kind === 'text') append(step, 'content', members);
    else if (kind === 'thought_summary') append(step, 'summary', recordAt(members, 'content'));
    else if (kind === 'arguments_delta') pieces.set(index, `${pieces.get(index) ?? ''}${members.arguments}`);
    else if (kind === 'text_annotation_delta') Object.assign(listAt(step, 'content').at(-1) as SourceObject, members);
    else Object.assign(step, members);
  }
  for (const [index, text] of pieces) steps.get(index)!.arguments = parseSource(text);
  envelope.steps = null;
  return { messages: [[...steps.values()]], envelope };
}

/** The text of a list of contents goes on. */
function append(step: SourceObject, list: string, { text }: SourceObject): void {
  const contents: Source[] = listAt(step, list);
  step[list] = contents;
  const last = contents.at(-1);
  if (isRecord(last)) last.text = `${last.text}${text}`;
  else contents.push({ type: 'text', text: `${text}` });
}
