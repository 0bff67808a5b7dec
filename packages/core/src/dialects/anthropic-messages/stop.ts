import type { Stop, StopReason } from '../reply.ts';

const REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  tool_use: 'tool-use',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  stop_sequence: 'stop-sequence',
  refusal: 'refusal',
  pause_turn: 'pause',
  // The reply holds only a compaction block: the same conversation goes on behind it.
  compaction: 'pause',
};

export function stopOf(native: unknown): Stop {
  if (typeof native !== 'string') return { reason: 'unknown', native: undefined };
  return { reason: Object.hasOwn(REASONS, native) ? REASONS[native]! : 'unknown', native };
}
