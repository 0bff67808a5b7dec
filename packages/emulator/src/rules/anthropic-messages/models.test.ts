import { expect, it } from 'vitest';
import { bindsPrefix, parseModel, takesDisabledThinking, takesForcedTool, takesSystemRole } from './models.ts';

it.each([
  ['claude-3-opus-20240229', 'opus', 3],
  ['claude-3-7-sonnet-latest', 'sonnet', 3.07],
  ['claude-sonnet-4-20250514', 'sonnet', 4],
  ['claude-sonnet-4@20250514', 'sonnet', 4],
  ['claude-opus-4-1-20250805', 'opus', 4.01],
  ['eu.anthropic.claude-haiku-4-5-20251001-v1:0', 'haiku', 4.05],
  ['claude-fable-5', 'fable', 5],
  ['claude-opus-5-5', 'opus', 5.05],
  ['claude-2.1', '', 2.01],
  ['claude-mythos-preview', 'mythos', Number.POSITIVE_INFINITY],
  ['something-new', '', Number.POSITIVE_INFINITY],
])('reads %s', (name, family, version) => {
  expect(parseModel(name)).toEqual({ family, version });
});

it('knows what each model enforces', () => {
  const names = (test: (m: ReturnType<typeof parseModel>) => boolean, ...all: string[]) =>
    all.filter((name) => test(parseModel(name)));
  expect(names(bindsPrefix, 'claude-fable-5', 'claude-fable-5-1', 'claude-mythos-5-2', 'claude-haiku-5-5')).toEqual([
    'claude-fable-5-1',
    'claude-haiku-5-5',
  ]);
  expect(names(takesSystemRole, 'claude-opus-4-7', 'claude-opus-4-8', 'claude-sonnet-5')).toEqual([
    'claude-opus-4-8',
    'claude-sonnet-5',
  ]);
  expect(names(takesForcedTool, 'claude-opus-5', 'claude-haiku-5-5', 'claude-mythos-5')).toEqual(['claude-opus-5']);
  expect(names(takesDisabledThinking, 'claude-haiku-5-5', 'claude-opus-5-5', 'claude-fable-5')).toEqual([
    'claude-haiku-5-5',
  ]);
});
