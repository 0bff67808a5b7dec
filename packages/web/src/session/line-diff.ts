import type { SessionLane, SessionStep } from '../api/types.ts';
import { shortestEdit, type TextChange } from '../inspector/word-diff.ts';

/** A file of a session as a call touched it. */
export type TouchedFile = SessionStep['acts'][number]['files'][number];
type FileChange = TouchedFile['changes'][number];

/** A line of a change, or a number of lines that were left alone. */
export type DiffLine = TextChange | { readonly kind: 'folded'; readonly count: number };

/** Beyond so many edits, the whole text counts as replaced. */
const MOST_EDITS = 600;
/** Unchanged lines that are shown around a change. */
const AROUND = 3;

/** The lines that a change removes and adds, with a few unchanged ones around them. */
export function diffLines({ before, after }: FileChange): readonly DiffLine[] {
  return foldSame(changedLines(before.text, after.text));
}

function changedLines(before: string, after: string): readonly TextChange[] {
  const [old, now] = [toLines(before), toLines(after)];
  const whole = (kind: 'removed' | 'added', lines: readonly string[]) => lines.map((text) => ({ kind, text }));
  return shortestEdit(old, now, MOST_EDITS) ?? [...whole('removed', old), ...whole('added', now)];
}

function toLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function foldSame(lines: readonly TextChange[]): readonly DiffLine[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== 'same'),
  );
  const shown: DiffLine[] = [];
  for (const [index, line] of lines.entries()) {
    const last = shown.at(-1);
    if (isNear[index]) shown.push(line);
    else if (last?.kind === 'folded') shown[shown.length - 1] = { kind: 'folded', count: last.count + 1 };
    else shown.push({ kind: 'folded', count: 1 });
  }
  return shown;
}

/** How many lines changes add and remove. */
export function countLines(changes: readonly FileChange[]): { readonly added: number; readonly removed: number } {
  let added = 0;
  let removed = 0;
  for (const { before, after } of changes)
    for (const { kind } of changedLines(before.text, after.text)) {
      if (kind === 'added') added += 1;
      if (kind === 'removed') removed += 1;
    }
  return { added, removed };
}

/** A file of a session with everything that happened to it. */
export interface SessionFile {
  /** Below the folder of the session where it is there, otherwise whole. */
  readonly path: string;
  readonly reads: number;
  readonly added: number;
  readonly removed: number;
  readonly changes: readonly { readonly step: number; readonly file: TouchedFile }[];
}

/**
 * The files of a session: those that were changed first, in the order in which they were touched. What a subagent touched
 * belongs to the step during which it began.
 */
export function listFiles(main: SessionLane, subagents: readonly SessionLane[]): readonly SessionFile[] {
  const { steps, thread } = main;
  const files = new Map<string, SessionFile>();
  const startedIn = (lane: SessionLane) =>
    Math.max(
      0,
      steps.findLastIndex(({ at }) => at <= (lane.steps[0]?.at ?? 0)),
    );
  for (const [step, { acts }] of steps.entries()) {
    const inside = subagents.filter((lane) => startedIn(lane) === step).flatMap((lane) => lane.steps);
    // A call that failed changed nothing.
    const done = [...acts, ...inside.flatMap((one) => one.acts)].filter(({ result }) => !result?.isError);
    for (const file of done.flatMap((act) => act.files)) {
      const path = shortPath(file.path, thread.cwd);
      const known = files.get(path) ?? { path, reads: 0, added: 0, removed: 0, changes: [] };
      const { added, removed } = countLines(file.changes);
      const isRead = file.changes.length === 0 && file.whole === undefined;
      files.set(path, {
        path,
        reads: known.reads + (isRead ? 1 : 0),
        added: known.added + added,
        removed: known.removed + removed,
        changes: isRead ? known.changes : [...known.changes, { step, file }],
      });
    }
  }
  return [...files.values()].toSorted((a, b) => Number(b.changes.length > 0) - Number(a.changes.length > 0));
}

/** A path as people say it: without the folder that the session is in. */
export function shortPath(path: string, cwd: string | undefined): string {
  return cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
