export interface SseEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** Takes a whole text of server-sent events apart; an event without its blank line counts too. */
export function eventsOf(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  let event: string | undefined;
  let data: string[] = [];
  for (const line of [...text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/), '']) {
    if (line === '') {
      if (data.length > 0) events.push({ event, data: data.join('\n') });
      event = undefined;
      data = [];
      continue;
    }
    const [, name, value] = /^([^:]*)(?::\x20?(.*))?$/s.exec(line) ?? [];
    if (name === 'event') event = value;
    if (name === 'data') data.push(value ?? '');
  }
  return events;
}
