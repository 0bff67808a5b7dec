import { checkNames } from '../../dialects/request.ts';
import { OPTION_NAMES } from '../../run/option-names.ts';
import type { ChatOptions } from './types.ts';

/** What a state brings with it, or a call; given as an option, it would be left out in silence. */
const NOT_HERE = new Set(['system', 'messages', 'previous', 'checkpoints', 'output']);

const NAMES = /* @__PURE__ */ ['onMismatch', ...OPTION_NAMES.split(' ').filter((name) => !NOT_HERE.has(name))].join(
  ' ',
);

const WAYS: ReadonlySet<unknown> = new Set([undefined, 'discard', 'translate', 'throw']);

export function checkOptions<T extends Partial<ChatOptions>>(options: T): T {
  if ((options as { system?: unknown }).system !== undefined)
    throw new TypeError('A chat has no option "system"; give system(...) as the first message of each call');
  checkNames('option', options, NAMES);
  if (!WAYS.has(options.onMismatch)) throw new TypeError('onMismatch must be "discard", "translate" or "throw"');
  return options;
}
