import type { LossNote, LossReason } from '../loss.ts';

export const dropped = (path: string, reason: LossReason, detail: string): LossNote => ({
  kind: 'dropped',
  path,
  reason,
  detail,
});
export const rewritten = (path: string, reason: LossReason, detail: string): LossNote => ({
  kind: 'rewritten',
  path,
  reason,
  detail,
});
export const synthesised = (path: string, reason: LossReason, detail: string): LossNote => ({
  kind: 'synthesised',
  path,
  reason,
  detail,
});
