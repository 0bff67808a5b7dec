import { create } from 'zustand';
import { toast, toastError } from '../../ui/toasts.tsx';
import { t } from '../../words/words.ts';
import type { Attachment, AttachmentContent } from './attachments.ts';
import { dropFile, keepFile, readFileContent } from './draft-files.ts';

/** What is written and not sent yet at one place: a conversation, or the start of one. */
export interface Draft extends Unsent {
  /** Messages that are sent one after the other when the answer that is growing is complete. */
  readonly queue: readonly QueuedMessage[];
  /** What is on its way to the server. It comes back if the page is loaded again before the server has answered. */
  readonly sending: Unsent | undefined;
}

/** A message that was not sent yet. */
interface Unsent {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

export interface QueuedMessage extends Unsent {
  readonly id: string;
}

const TEXTS = 'skein.draft.';
const FILES = 'skein.files.';
const QUEUES = 'skein.queue.';
const SENDING = 'skein.sending.';
const NOTHING: Unsent = { text: '', attachments: [] };

/** A place has one draft, wherever in the conversation the reader is, so that nothing that moves the page can lose it. */
const useDrafts = create<{ readonly all: ReadonlyMap<string, Draft> }>(() => ({ all: new Map() }));

export function useDraft(place: string): readonly [Draft, (change: Partial<Draft>) => void] {
  const draft = useDrafts(({ all }) => all.get(place)) ?? readDraft(place);
  return [draft, (change) => changeDraft(place, change)];
}

/** A text that is written in another field than the composer. */
export function useDraftText(place: string): readonly [string, (text: string) => void] {
  const [{ text }, change] = useDraft(place);
  return [text, (next) => change({ text: next })];
}

/** Drafts as this page read them first, by all places that it has read. Each is the same object until something changes it. */
const stored = new Map<string, Draft>();

export function readDraft(place: string): Draft {
  const known = useDrafts.getState().all.get(place) ?? stored.get(place);
  if (known) return known;
  const read = readStored(place, []);
  const lost = readUnsent(sessionStorage.getItem(SENDING + place));
  for (const { id } of lost?.attachments ?? []) kept.add(id);
  const draft = lost ? { ...read, ...join(lost, read) } : read;
  stored.set(place, draft);
  if (lost) {
    sessionStorage.removeItem(SENDING + place);
    keepDraft(place, draft);
  }
  void loadFiles(place);
  return draft;
}

/** The stored draft, with the contents of the files that this page has. */
function readStored(place: string, known: readonly Attachment[]): Draft {
  const withContent = (list: readonly Attachment[]) => list.map((one) => known.find(({ id }) => id === one.id) ?? one);
  const files = readList(localStorage.getItem(FILES + place)).filter(isFile);
  const queue = readList(localStorage.getItem(QUEUES + place)).flatMap(readQueued);
  for (const { id } of [...files, ...queue.flatMap((one) => one.attachments)]) kept.add(id);
  return {
    text: localStorage.getItem(TEXTS + place) ?? '',
    attachments: withContent(files),
    queue: queue.map((one) => ({ ...one, attachments: withContent(one.attachments) })),
    sending: undefined,
  };
}

export function changeDraft(place: string, change: Partial<Draft>): void {
  const before = readDraft(place);
  const next = { ...before, ...change };
  setDraft(place, next);
  keepDraft(place, next);
  const known = new Set(listFiles(before).map(({ id }) => id));
  for (const { id, content } of listFiles(next)) if (content && !known.has(id)) void keepContent(place, id, content);
  const used = new Set([...stored.keys()].flatMap((one) => listFiles(readDraft(one))).map(({ id }) => id));
  for (const { id } of listFiles(before)) if (!used.has(id)) dropFile(id);
}

/** Takes a message out of all queues: writing into a recorded conversation may have moved it to another one. */
export function dropQueued(id: string): void {
  for (const place of stored.keys()) {
    const { queue } = readDraft(place);
    if (queue.some((one) => one.id === id)) changeDraft(place, { queue: queue.filter((one) => one.id !== id) });
  }
}

function setDraft(place: string, draft: Draft): void {
  useDrafts.setState(({ all }) => ({ all: new Map(all).set(place, draft) }));
}

function keepDraft(place: string, { text, attachments, queue, sending }: Draft): void {
  keep(localStorage, TEXTS + place, text);
  keep(localStorage, FILES + place, toList(toStored(attachments)));
  keep(localStorage, QUEUES + place, toList(queue.map((one) => ({ ...one, attachments: toStored(one.attachments) }))));
  // In the storage of this tab: another one has the same draft, but sends nothing.
  const sent = sending && { text: sending.text, attachments: toStored(sending.attachments) };
  keep(sessionStorage, SENDING + place, sent ? JSON.stringify(sent) : '');
}

/** The files whose contents are in the browser's database. Until then, another tab could not read them. */
const kept = new Set<string>();

async function keepContent(place: string, id: string, content: AttachmentContent): Promise<void> {
  if (kept.has(id) || !(await keepFile(id, content))) return;
  kept.add(id);
  keepDraft(place, readDraft(place));
}

function toStored(attachments: readonly Attachment[]): readonly Attachment[] {
  return attachments.filter(({ id }) => kept.has(id)).map(({ id, name, size }) => ({ id, name, size }));
}

function listFiles({ attachments, queue, sending }: Draft): readonly Attachment[] {
  return [...attachments, ...queue.flatMap((one) => one.attachments), ...(sending?.attachments ?? [])];
}

/** Brings the contents of files that were attached before this page was loaded, or in another tab. */
async function loadFiles(place: string): Promise<void> {
  for (const { id, name, content } of listFiles(readDraft(place))) {
    if (content) continue;
    let found: AttachmentContent | undefined;
    try {
      found = await readFileContent(id);
    } catch (error) {
      // It may be readable the next time. Until then nothing is sent without it.
      toastError(error);
      continue;
    }
    const fill = (list: readonly Attachment[]) =>
      list.flatMap((one) => (one.id !== id ? [one] : found ? [{ ...one, content: found }] : []));
    const before = readDraft(place);
    const filled = {
      ...before,
      attachments: fill(before.attachments),
      queue: before.queue.map((one) => ({ ...one, attachments: fill(one.attachments) })),
    };
    if (found) setDraft(place, filled);
    else {
      changeDraft(
        place,
        takeBack(filled, ({ attachments }) => attachments.some((file) => file.id === id), before.queue),
      );
      toast(t('composer.file-gone', { name }));
    }
  }
}

/** Takes queued messages that lack a file back into the field, where the reader sees what is missing. */
function takeBack(draft: Draft, lacks: (one: QueuedMessage) => boolean, before: readonly QueuedMessage[]): Draft {
  const lacking = new Set(before.filter(lacks).map(({ id }) => id));
  const back = draft.queue.filter(({ id }) => lacking.has(id));
  return { ...draft, ...back.reduce<Unsent>(join, draft), queue: draft.queue.filter(({ id }) => !lacking.has(id)) };
}

/** Writing into a recorded conversation forks it: what is not sent yet goes along. */
export function moveDraft(from: string, to: string): void {
  const { text, attachments, queue } = readDraft(from);
  if (from === to || (text === '' && attachments.length === 0 && queue.length === 0)) return;
  const there = readDraft(to);
  changeDraft(to, { ...join(there, { text, attachments }), queue: [...there.queue, ...queue] });
  changeDraft(from, { ...NOTHING, queue: [] });
}

/** Empties the field while its message is on its way. */
export function startSending(place: string): void {
  const { text, attachments } = readDraft(place);
  changeDraft(place, { ...NOTHING, sending: { text, attachments } });
}

/** What could not be stored comes back, before what was written since. */
export function endSending(place: string, isStored: boolean): void {
  const { sending = NOTHING, ...since } = readDraft(place);
  changeDraft(place, { ...(isStored ? {} : join(sending, since)), sending: undefined });
}

function join(first: Unsent, second: Unsent): Unsent {
  const text = first.text === '' || second.text === '' ? first.text + second.text : `${first.text}\n${second.text}`;
  return { text, attachments: [...first.attachments, ...second.attachments] };
}

function toList(items: readonly unknown[]): string {
  return items.length === 0 ? '' : JSON.stringify(items);
}

function readList(text: string | null): readonly unknown[] {
  const value = parse(text);
  return Array.isArray(value) ? value : [];
}

function readUnsent(text: string | null): Unsent | undefined {
  const value = parse(text);
  return isUnsent(value) ? value : undefined;
}

/** A queued message; older releases stored its blocks. */
function readQueued(value: unknown): readonly QueuedMessage[] {
  if (typeof value !== 'object' || value === null || !('id' in value) || typeof value.id !== 'string') return [];
  if (isUnsent(value)) return [{ id: value.id, text: value.text, attachments: value.attachments }];
  const blocks = 'content' in value && Array.isArray(value.content) ? value.content : [];
  const text = blocks.flatMap((block) => (block?.type === 'text' ? [block.text] : [])).join('\n');
  return text === '' ? [] : [{ id: value.id, text, attachments: [] }];
}

function isUnsent(value: unknown): value is Unsent {
  if (typeof value !== 'object' || value === null) return false;
  const { text, attachments } = value as Partial<Unsent>;
  return typeof text === 'string' && Array.isArray(attachments) && attachments.every(isFile);
}

function isFile(value: unknown): value is Attachment {
  return typeof value === 'object' && value !== null && 'id' in value && 'name' in value && 'size' in value;
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}

function keep(storage: Storage, key: string, value: string): void {
  try {
    if (value === '') storage.removeItem(key);
    else if (storage.getItem(key) !== value) storage.setItem(key, value);
  } catch {
    // The browser's storage is full. The draft stays in this page.
  }
}

/** Shows what another tab has written at a place, so that neither overwrites the other. */
function readAgain(place: string): void {
  if (!stored.has(place)) return;
  const before = readDraft(place);
  const read = readStored(place, listFiles(before));
  // Files that the browser does not have are in this page alone. A queued message never changes.
  const own = before.attachments.filter(({ id }) => !kept.has(id));
  setDraft(place, {
    ...read,
    attachments: [...read.attachments, ...own],
    queue: read.queue.map((one) => before.queue.find(({ id }) => id === one.id) ?? one),
    sending: before.sending,
  });
  void loadFiles(place);
}

addEventListener('storage', ({ key, storageArea }) => {
  if (storageArea !== localStorage || key === null) return;
  const prefix = [TEXTS, FILES, QUEUES].find((one) => key.startsWith(one));
  if (prefix !== undefined) readAgain(key.slice(prefix.length));
});
// A page that the browser had put aside heard of nothing.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) for (const place of stored.keys()) readAgain(place);
});
