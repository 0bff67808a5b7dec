import { digest } from '../../json/index.ts';
import type { LossNote } from '../loss.ts';
import type { Policies } from '../provider.ts';
import { rewritten } from './notes.ts';

/** Calls that came without an id have one in the view only; it begins so. */
export const VIEW_ID = 'skn_';

/** The id of a call that came without one, made from the message's text. */
export function viewId(raw: string, index: number): string {
  return `${VIEW_ID}${digest(raw).slice(0, 12)}_${index}`;
}

/** The id of a call as the target takes it: its own, or one made from it, the same for the call and its result. */
export function targetToolId(id: string, policies: Policies, path: string, losses: LossNote[]): string {
  if (fits(id, policies.toolIds)) return id;
  const plain = `call_${digest(id).slice(0, 24)}`;
  // Some take ids of one length and letters only.
  const made = fits(plain, policies.toolIds) ? plain : digest(id).slice(0, policies.toolIds.maxLength);
  losses.push(rewritten(path, 'tool-id', `${id} -> ${made}`));
  return made;
}

export function targetToolName(name: string, policies: Policies, path: string, losses: LossNote[]): string {
  const { toolNames } = policies;
  if (fits(name, toolNames)) return name;
  // Names that differ only in what is refused stay apart.
  const base = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, toolNames.maxLength - 8);
  const plain = `${base}_${digest(name).slice(0, 6)}`;
  // Some protocols want a letter first.
  const made = fits(plain, toolNames) ? plain : `_${plain}`;
  losses.push(rewritten(path, 'tool-name', `${name} -> ${made}`));
  return made;
}

function fits(value: string, rule: { readonly pattern: string; readonly maxLength: number }): boolean {
  return value.length <= rule.maxLength && new RegExp(rule.pattern).test(value);
}
