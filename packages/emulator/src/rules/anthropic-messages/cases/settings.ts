import type { Json } from '../../../json.ts';
import { type Case, type Cases, NEW, OLD, send, text, user } from './case.ts';

const CACHE = { cache_control: { type: 'ephemeral' } };
const HOUR = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const cached = (...marks: Json[]) => send({ messages: [user(...marks.map((mark) => text('a', mark)))] });

const enabled = { type: 'enabled', budget_tokens: 1024 };
const binding = {
  model: NEW,
  thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } },
};
const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
const any = { tool_choice: { type: 'any' } };

const thinkingCase = (good: Json, bad: Json, message: Case['message']): Case => ({
  good: send(good),
  bad: send(bad),
  message,
});

export const settingsCases: Cases = {
  'thinking-enabled-unsupported': thinkingCase(
    { model: 'claude-opus-4-6', thinking: enabled },
    { model: 'claude-opus-4-7', thinking: enabled },
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  ),
  'adaptive-unsupported': thinkingCase(
    { model: 'claude-sonnet-4-6', thinking: { type: 'adaptive' } },
    { model: OLD, thinking: { type: 'adaptive' } },
    'adaptive thinking is not supported on this model',
  ),
  'thinking-disabled-unsupported': thinkingCase(
    { model: 'claude-haiku-5-5', thinking: { type: 'disabled' } },
    { model: 'claude-sonnet-5-5', thinking: { type: 'disabled' } },
    /^"thinking\.type\.disabled" is not supported for this model\./,
  ),
  'budget-min': thinkingCase(
    { thinking: enabled },
    { thinking: { type: 'enabled', budget_tokens: 1023 } },
    'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
  ),
  'budget-max': thinkingCase(
    { thinking: enabled, max_tokens: 1025 },
    { thinking: enabled, max_tokens: 1024 },
    /^`max_tokens` must be greater than `thinking\.budget_tokens`\./,
  ),
  'thinking-temperature': thinkingCase(
    { thinking: enabled, temperature: 1 },
    { thinking: enabled, temperature: 0 },
    /^`temperature` may only be set to 1 when thinking is enabled\./,
  ),
  'thinking-top-p': thinkingCase(
    { thinking: enabled, top_p: 0.95 },
    { thinking: enabled, top_p: 0.5 },
    /^`top_p` must be greater than or equal to 0\.95 or unset when thinking is enabled\./,
  ),
  'thinking-forced-tool': thinkingCase(
    { model: 'claude-opus-4-6', thinking: { type: 'adaptive' }, ...any },
    { thinking: enabled, ...any },
    'Thinking may not be enabled when tool_choice forces tool use.',
  ),
  'forced-tool-unsupported': thinkingCase(
    { model: 'claude-opus-5', ...any },
    { model: 'claude-fable-5', ...any },
    /forcing tool use is not supported for this model/,
  ),
  effort: thinkingCase(
    { model: 'claude-opus-4-6', output_config: { effort: 'max' } },
    { model: 'claude-opus-4-6', output_config: { effort: 'xhigh' } },
    "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
  ),
  'block-binding-beta': {
    good: send(binding, { headers: { ...headers, 'anthropic-beta': 'a, thinking-binding-controls-2026-08-01' } }),
    bad: send(binding, { headers }),
    message: /requires the `thinking-binding-controls-2026-08-01` value/,
  },
  'cache-max': {
    good: cached(CACHE, CACHE, CACHE, CACHE),
    bad: cached(CACHE, CACHE, CACHE, CACHE, CACHE),
    message: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  },
  'cache-ttl-order': {
    good: cached(HOUR, CACHE),
    bad: cached(CACHE, HOUR),
    message:
      /^messages\.0\.content\.1\.cache_control\.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block/,
  },
  'cache-empty': {
    good: cached(CACHE),
    bad: send({ messages: [user(text('a'), text('', CACHE))] }),
    message: 'messages.0.content.1.text: cache_control cannot be set for empty text blocks',
  },
};
