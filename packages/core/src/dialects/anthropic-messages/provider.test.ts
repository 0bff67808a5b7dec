import { describe, expect, test } from 'vitest';
import { forModel } from '../provider.ts';
import { anthropic } from './provider.ts';

const { inlineSystem, prefill, reasoningBoundTo, quirks } = anthropic.policies;

describe('policies by model', () => {
  test.each([
    // model, inline system, prefill, bound to the prefix, how it thinks
    ['claude-2.1', 'never', 'trimmed', false, 'budget'],
    ['claude-3-haiku-20240307', 'never', 'trimmed', false, 'budget'],
    ['claude-3-7-sonnet-20250219', 'never', 'trimmed', false, 'budget'],
    ['claude-3-opus-latest', 'never', 'trimmed', false, 'budget'],
    ['claude-sonnet-4-20250514', 'never', 'trimmed', false, 'budget'],
    ['claude-sonnet-4-0', 'never', 'trimmed', false, 'budget'],
    ['claude-opus-4', 'never', 'trimmed', false, 'budget'],
    ['claude-opus-4-1-20250805', 'never', 'trimmed', false, 'budget'],
    ['claude-sonnet-4-5', 'never', 'trimmed', false, 'budget'],
    ['claude-sonnet-4-5-20250929', 'never', 'trimmed', false, 'budget'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'never', 'trimmed', false, 'budget'],
    ['claude-opus-4@20250514', 'never', 'trimmed', false, 'budget'],
    ['claude-haiku-4-5-20251001', 'never', 'trimmed', false, 'budget'],
    ['claude-opus-4-6', 'never', 'no', false, 'either'],
    ['claude-sonnet-4-6', 'never', 'no', false, 'either'],
    ['claude-opus-4-7', 'never', 'no', false, 'effort'],
    ['claude-mythos-preview', 'never', 'no', false, 'effort'],
    ['claude-opus-4-8', 'after-user', 'no', false, 'effort'],
    ['claude-opus-5', 'after-user', 'no', false, 'effort'],
    ['claude-sonnet-5', 'after-user', 'no', false, 'effort'],
    ['claude-sonnet-5-20260601', 'after-user', 'no', false, 'effort'],
    ['claude-fable-5', 'after-user', 'no', false, 'effort'],
    ['claude-mythos-5', 'after-user', 'no', false, 'effort'],
    ['claude-fable-5-1', 'after-user', 'no', true, 'effort'],
    ['claude-fable-5-2', 'after-user', 'no', true, 'effort'],
    ['claude-opus-5-5', 'after-user', 'no', true, 'effort'],
    ['claude-sonnet-5-5-20261001', 'after-user', 'no', true, 'effort'],
    ['claude-haiku-5-5', 'after-user', 'no', true, 'effort'],
    ['claude-opus-5-4', 'after-user', 'no', true, 'effort'],
    ['claude-opus-6', 'after-user', 'no', true, 'effort'],
  ] as const)('%s', (model, system, pre, prefix, thinking) => {
    expect(forModel(inlineSystem, model)).toBe(system);
    expect(forModel(prefill, model)).toBe(pre);
    expect(forModel(reasoningBoundTo, model).includes('prefix')).toBe(prefix);
    expect(forModel(reasoningBoundTo, model)).toContain('model');
    expect(forModel(quirks.thinking!, model)).toBe(thinking);
  });
});
