import { randomUUID } from 'node:crypto';
import { parseModel } from '@skein/core';
import type { Context } from '../forest/context.ts';
import type { GenerateOptions, GenerationState } from './types.ts';

/** A generation as it begins. */
export function newState({ store, clock }: Context, node: string, options: GenerateOptions): GenerationState {
  const { n = 1, model, params, tools = [], label, thread } = options;
  if (!Number.isInteger(n) || n < 1) throw new TypeError(`"n" is how many branches to grow, 1 or more; it is ${n}.`);
  return {
    id: randomUUID().replaceAll('-', '').slice(0, 16),
    node,
    status: 'running',
    branches: Array.from({ length: n }, () => ({ head: node, status: 'running' })),
    model: nameOf(model),
    params,
    tools: tools.map((tool) => ('name' in tool ? tool.name : tool.dialect)),
    ...(label !== undefined && { label }),
    ...(thread !== undefined && { thread }),
    owner: store.writer,
    startedAt: clock.now(),
  };
}

export const FROM_THE_FOREST = ['messages', 'system', 'checkpoints', 'previous', 'outgoing'];

/** `run` would take them, and the tree would not have what was sent. */
export function refuseForeign(options: object, names: readonly string[]): void {
  const given = new Map(Object.entries(options));
  const foreign = names.find((name) => given.get(name) !== undefined);
  if (foreign === undefined) return;
  const instead = foreign === 'system' ? 'append system(…) as the first message' : 'the forest knows it';
  throw new TypeError(`A generation takes no "${foreign}": ${instead}.`);
}

export function nameOf(model: GenerateOptions['model'] | undefined): string {
  if (model === undefined) throw new TypeError('"model" is missing: give one, such as "anthropic/claude-sonnet-4-5".');
  if (typeof model !== 'string') return `${model.provider.id}/${model.model}`;
  // Fails now and clearly, not in every branch.
  parseModel(model);
  return model;
}

/** Two with the same are the same. Two people may say the same at the same moment: theirs are two. */
export function requestOf({ model, params, tools, branches, label, thread }: GenerationState): string {
  return JSON.stringify([model, params ?? {}, tools, branches.length, label ?? '', thread ?? '']);
}
