import type { RequestParams } from '@skein/core';
import type { Config, Preset } from '../config/types.ts';
import type { WrittenParams } from './written.ts';

/** The parameters for whoever names none: those of the configured preset. `n`, which is no parameter, is left out. */
export function presetParams({ preset, presets }: Pick<Config, 'preset' | 'presets'>): RequestParams {
  return paramsOf({}, preset === undefined ? {} : presets[preset]);
}

/** The parameters of a request: those of the agent, over those of its preset. */
export function paramsOf(written: Partial<WrittenParams>, preset: Preset = {}): RequestParams {
  const { max_tokens, top_p, parallel_tool_calls, ...same } = written;
  const { n: _, ...fromPreset } = preset;
  return {
    ...fromPreset,
    ...same,
    ...(max_tokens !== undefined && { maxTokens: max_tokens }),
    ...(top_p !== undefined && { topP: top_p }),
    ...(parallel_tool_calls !== undefined && { parallelToolCalls: parallel_tool_calls }),
  };
}
