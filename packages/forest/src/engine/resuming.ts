import { parseModel } from '@skein/core';
import { EngineError, type GenerateOptions, type GenerationState, type ResumeOptions } from './types.ts';

/** Which branches go on, and with what; refuses what would not go on as it began. */
export function toResume(
  { id, status, branches, model, params, tools }: GenerationState,
  given: ResumeOptions,
): { readonly grow: readonly number[]; readonly options: GenerateOptions & Pick<ResumeOptions, 'approvals'> } {
  if (status === 'running') throw new EngineError('generation_running', id, `Generation ${id} is still running.`);
  const grow = branches.flatMap((branch, index) => (branch.status === 'done' ? [] : [index]));
  if (grow.length === 0)
    throw new EngineError('nothing_to_resume', id, `Generation ${id} is done: every branch has its answer.`);
  if (tools.length > 0 && given.tools === undefined)
    throw new EngineError(
      'tools_needed',
      id,
      `Generation ${id} was started with tools (${tools.join(', ')}): give them again as "tools", or [] to go on without.`,
    );
  if (given.model === undefined && !isKnown(model))
    throw new EngineError(
      'model_needed',
      id,
      `Generation ${id} asked ${model}, which is not among the known providers: give it again as "model".`,
    );
  const own = params !== undefined && given.params === undefined ? { params } : {};
  return { grow, options: { ...given, ...own, model: given.model ?? model } };
}

function isKnown(model: string): boolean {
  try {
    parseModel(model);
    return true;
  } catch {
    return false;
  }
}
