import { elementTexts, isJson, parseJson } from '../../json/index.ts';
import type { LossNote } from '../loss.ts';
import { forModel } from '../provider.ts';
import type { RequestParams } from '../request.ts';
import type { BodyMember } from '../write/frame.ts';
import { dropped } from '../write/notes.ts';
import { targetToolName } from '../write/tool-names.ts';
import type { Target } from '../write/writer.ts';

/** The members behind the input: what is stored, and how to answer. */
export function paramMembers(
  params: RequestParams,
  extra: Readonly<Record<string, string>>,
  target: Target,
  losses: LossNote[],
): BodyMember[] {
  const { maxTokens, temperature, topP, stream, toolChoice, parallelToolCalls, reasoning } = params;
  const members: BodyMember[] = storage(extra, target);
  const add = (name: string, value: unknown): void => {
    if (value !== undefined) members.push([name, JSON.stringify(value)]);
  };
  add('max_output_tokens', maxTokens);
  add('temperature', temperature);
  add('top_p', topP);
  add('tool_choice', toolChoice && toolChoiceValue(toolChoice, target, losses));
  add('parallel_tool_calls', parallelToolCalls);
  if (reasoning?.effort !== undefined) add('reasoning', { effort: reasoning.effort });
  add('stream', stream);
  const unknown = { stop: params.stop, seed: params.seed, 'reasoning.budget': reasoning?.budget };
  for (const [name, value] of Object.entries(unknown)) {
    if (value !== undefined) losses.push(dropped(`params.${name}`, 'parameter', `this API has no parameter for it`));
  }
  return members;
}

/**
 * Whether the provider stores the response. Where it does not, reasoning can only be carried on if its ciphertext is
 * asked for (`reasoning-not-persisted`).
 */
function storage(extra: Readonly<Record<string, string>>, { provider, model }: Target): BodyMember[] {
  const { store, encryptedReasoning } = provider.policies.quirks;
  const stored = extra.store ?? String(store !== undefined && forModel(store, model) === true);
  const isEncrypted = encryptedReasoning === undefined || forModel(encryptedReasoning, model) === true;
  const members: BodyMember[] = [['store', stored]];
  if (stored === 'false' && isEncrypted) members.push(['include', withCiphertext(extra.include)]);
  return members;
}

const CIPHERTEXT = 'reasoning.encrypted_content';

function withCiphertext(include: string | undefined): string {
  const given: unknown = include === undefined || !isJson(include) ? [] : parseJson(include);
  if (!Array.isArray(given) || include === undefined) return `["${CIPHERTEXT}"]`;
  return given.includes(CIPHERTEXT) ? include : `[${[...elementTexts(include), `"${CIPHERTEXT}"`].join(',')}]`;
}

function toolChoiceValue(
  choice: NonNullable<RequestParams['toolChoice']>,
  target: Target,
  losses: LossNote[],
): unknown {
  if (typeof choice === 'string') return choice;
  const name = targetToolName(choice.name, target.provider.policies, 'params.toolChoice.name', losses);
  return { type: 'function', name };
}
