import { checkNames } from '../dialects/known-names.ts';
import { isObject } from '../json/parse.ts';
import { OPTION_NAMES } from './option-names.ts';
import type { RunOptions } from './types.ts';

/** Before anything is sent or run: a slip must not count as consent, or as no limit at all. */
export function checkOptions(options: RunOptions): void {
  const { limits, approvals, costOf } = options;
  checkNames('option', options, OPTION_NAMES);
  checkNames('limit', limits, 'steps tokens cost seconds');
  for (const [name, limit] of Object.entries(limits ?? {}))
    if (limit !== undefined && (typeof limit !== 'number' || Number.isNaN(limit)))
      throw new TypeError(`The limit "${name}" must be a number`);
  if (limits?.cost !== undefined && !costOf)
    throw new TypeError('A limit of cost needs "costOf", such as that of @skein/core/prices');
  for (const [id, approval] of Object.entries<unknown>(approvals ?? {}))
    if (approval !== undefined && approval !== 'approve' && !(isObject(approval) && typeof approval.deny === 'string'))
      throw new TypeError(`The approval of "${id}" must be "approve" or { deny: "why" }`);
}
