import { create } from 'zustand';
import type { Block } from '../../api/types.ts';
import type { Attachment } from './attachments.ts';

/** What is written and not sent yet at one place: a conversation, or the start of one. */
export interface Draft {
  readonly text: string;
  /** Kept while the page is open; they may be too large for the browser's storage. */
  readonly attachments: readonly Attachment[];
  /** Messages that are sent one after the other when the answer that is growing is complete. */
  readonly queue: readonly QueuedMessage[];
}

interface QueuedMessage {
  readonly id: string;
  readonly content: readonly Block[];
}

const TEXTS = 'skein.draft.';
const QUEUES = 'skein.queue.';

/** A place has one draft, wherever in the conversation the reader is, so that nothing that moves the page can lose it. */
const useDrafts = create<{ readonly all: ReadonlyMap<string, Draft> }>(() => ({ all: new Map() }));

export function useDraft(place: string): readonly [Draft, (change: Partial<Draft>) => void] {
  const draft = useDrafts(({ all }) => all.get(place)) ?? load(place);
  return [draft, (change) => changeDraft(place, change)];
}

const loaded = new Map<string, Draft>();

/** The stored draft. It is the same object until it changes. */
function load(place: string): Draft {
  const known = loaded.get(place);
  if (known) return known;
  const text = localStorage.getItem(TEXTS + place) ?? '';
  const made: Draft = { text, attachments: [], queue: readQueue(localStorage.getItem(QUEUES + place)) };
  loaded.set(place, made);
  return made;
}

function readQueue(stored: string | null): readonly QueuedMessage[] {
  try {
    const value: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(value) ? (value as QueuedMessage[]) : [];
  } catch {
    return [];
  }
}

export function readDraft(place: string): Draft {
  return useDrafts.getState().all.get(place) ?? load(place);
}

export function changeDraft(place: string, change: Partial<Draft>): void {
  const next = { ...readDraft(place), ...change };
  useDrafts.setState(({ all }) => ({ all: new Map(all).set(place, next) }));
  keep(TEXTS + place, next.text);
  keep(QUEUES + place, next.queue.length === 0 ? '' : JSON.stringify(next.queue));
}

/** Writing into a recorded conversation forks it: what is not sent yet goes along. */
export function moveDraft(from: string, to: string): void {
  const { text, attachments, queue } = readDraft(from);
  if (from === to || (text === '' && attachments.length === 0 && queue.length === 0)) return;
  const there = readDraft(to);
  changeDraft(to, {
    text: joinTexts(there.text, text),
    attachments: [...there.attachments, ...attachments],
    queue: [...there.queue, ...queue],
  });
  changeDraft(from, { text: '', attachments: [], queue: [] });
}

/** Puts back what could not be sent, before what was written since. */
export function restoreDraft(place: string, { text, attachments }: Pick<Draft, 'text' | 'attachments'>): void {
  const since = readDraft(place);
  changeDraft(place, { text: joinTexts(text, since.text), attachments: [...attachments, ...since.attachments] });
}

function joinTexts(first: string, second: string): string {
  return first === '' || second === '' ? first + second : `${first}\n${second}`;
}

function keep(key: string, value: string): void {
  try {
    if (value === '') localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // The browser's storage is full. The draft stays in this page.
  }
}
