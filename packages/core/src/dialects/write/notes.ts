import type { LossNote, LossReason } from '../loss.ts';

type Note = (path: string, reason: LossReason, detail?: string) => LossNote;

export const dropped: Note = (path, reason, detail) => note('dropped', path, reason, detail);
export const rewritten: Note = (path, reason, detail) => note('rewritten', path, reason, detail);
export const synthesised: Note = (path, reason, detail) => note('synthesised', path, reason, detail);

function note(kind: LossNote['kind'], path: string, reason: LossReason, detail: string | undefined): LossNote {
  return detail === undefined ? { kind, path, reason } : { kind, path, reason, detail };
}
