import type { LossNote } from '../loss.ts';
import { forModel } from '../provider.ts';
import type { RequestParams } from '../request.ts';
import { dropped, rewritten } from '../write/notes.ts';
import { stringText } from '../write/text.ts';
import type { Target } from '../write/writer.ts';
import { functionName } from './write-parts.ts';

/** One member, so that what `extra` says of it merges. */
export function generationConfig(params: RequestParams, target: Target, losses: LossNote[]): string | undefined {
  const stop = params.stop?.map((word, index) => stringText(word, `params.stop[${index}]`, losses));
  return objectText([
    ['maxOutputTokens', numberText(params.maxTokens)],
    ['temperature', numberText(params.temperature)],
    ['topP', numberText(params.topP)],
    ['stopSequences', stop && `[${stop.join(',')}]`],
    ['seed', numberText(params.seed)],
    ['thinkingConfig', params.reasoning && thinkingConfig(params.reasoning, target, losses)],
  ]);
}

export function toolConfig(params: RequestParams, target: Target, losses: LossNote[]): string | undefined {
  if (params.parallelToolCalls === false)
    losses.push(dropped('params.parallelToolCalls', 'parameter', 'parallel calls cannot be switched off here'));
  const choice = params.toolChoice;
  if (choice === undefined) return undefined;
  if (typeof choice === 'string')
    return `{"functionCallingConfig":{"mode":"${{ auto: 'AUTO', none: 'NONE', required: 'ANY' }[choice]}"}}`;
  const name = functionName(choice.name, target.provider.policies, 'params.toolChoice.name', losses);
  return `{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":[${JSON.stringify(name)}]}}`;
}

/** Names of levels that other APIs use, by the level that comes nearest. */
const LEVELS: Readonly<Record<string, string>> = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  none: 'MINIMAL',
  xhigh: 'HIGH',
  max: 'HIGH',
};

/** What Google itself takes the levels for on models that know only budgets. */
const BUDGETS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/** Level and budget exclude each other: a budget, the more exact of the two, counts. */
function thinkingConfig(
  { effort, budget }: NonNullable<RequestParams['reasoning']>,
  target: Target,
  losses: LossNote[],
): string | undefined {
  const path = 'params.reasoning.effort';
  if (budget !== undefined) {
    if (effort !== undefined) losses.push(dropped(path, 'parameter', 'a level beside a budget is not taken'));
    return `{"thinkingBudget":${numberText(budget)}}`;
  }
  if (effort === undefined) return undefined;
  const asked = effort.toLowerCase();
  const quirk = target.provider.policies.quirks.thinkingLevels;
  if (quirk && forModel(quirk, target.model) === false) {
    const tokens = Object.hasOwn(BUDGETS, asked) ? BUDGETS[asked] : undefined;
    if (tokens === undefined) losses.push(dropped(path, 'parameter', `the level ${effort} is not known here`));
    else losses.push(rewritten(path, 'parameter', `the level ${effort} is sent as a budget of ${tokens} tokens`));
    return tokens === undefined ? undefined : `{"thinkingBudget":${tokens}}`;
  }
  // Levels that are not known are sent as they are: there may be new ones.
  const level = Object.hasOwn(LEVELS, asked) ? LEVELS[asked]! : asked.toUpperCase();
  if (level !== asked.toUpperCase())
    losses.push(rewritten(path, 'parameter', `the level ${effort} is sent as ${level}`));
  return `{"thinkingLevel":${JSON.stringify(level)}}`;
}

function numberText(value: number | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function objectText(members: readonly (readonly [string, string | undefined])[]): string | undefined {
  const given = members.filter(([, text]) => text !== undefined);
  return given.length > 0 ? `{${given.map(([name, text]) => `"${name}":${text}`).join(',')}}` : undefined;
}
