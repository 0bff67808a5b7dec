import { type ModelChoice, parseModel, type RunOptions } from '@skein/core';
import type { BranchTask } from './branch.ts';

/** What `run` takes of the options of a branch. One seed for all branches would give one reply many times. */
export function runOptions(
  { n: _n, again: _again, label: _label, thread: _thread, available: _available, ...options }: BranchTask['options'],
  branch: number,
): Omit<RunOptions, 'messages'> {
  const seed = options.params?.seed;
  return seed === undefined ? options : { ...options, params: { ...options.params, seed: seed + branch } };
}

export function issuerOf(model: ModelChoice): string {
  return chosen(model).provider.issuer;
}

/** The descriptor and the name, with the connection of its own if it has one. */
export function chosen(model: ModelChoice): Exclude<ModelChoice, string> {
  return typeof model === 'string' ? parseModel(model) : model;
}
