import { checkNames } from '../dialects/request.ts';
import { OPTION_NAMES } from './option-names.ts';
import type { RunOptions } from './types.ts';

/** Before anything is sent or run: a slip must not count as no limit at all. */
export async function checkOptions(options: RunOptions): Promise<void> {
  const { limits, approvals, costOf } = options;
  checkNames('option', options, OPTION_NAMES);
  checkNames('limit', limits, 'steps tokens cost seconds');
  for (const [name, limit] of Object.entries(limits ?? {}))
    if (limit !== undefined && (typeof limit !== 'number' || Number.isNaN(limit)))
      throw new TypeError(`The limit "${name}" must be a number`);
  if (limits?.cost !== undefined && !costOf)
    throw new TypeError('A limit of cost needs "costOf", such as that of @skein/core/prices');
  if (approvals) (await import('./tools/use-tools.ts')).checkApprovals(approvals);
}
