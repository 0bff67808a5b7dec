/** Who answers when nothing is scripted. */
import { isObject, type Json } from '../json.ts';
import type { Protocol } from '../protocol.ts';
import { type Reply, says } from '../reply/reply.ts';

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly schema: Json;
}

export interface ToolResult {
  readonly name: string | undefined;
  readonly text: string;
}

/** A request in the same form for every protocol, with what a brain needs of it. */
export interface BrainRequest {
  readonly protocol: Protocol;
  readonly issuer: string;
  readonly model: string;
  readonly stream: boolean;
  /** 0 for the first time these very bytes are sent, 1 for the second, … */
  readonly attempt: number;
  readonly body: Json;
  /** What the user said last. */
  readonly text: string;
  readonly tools: readonly OfferedTool[];
  /** A tool that must be called: its name, or any. */
  readonly forced: string | true | undefined;
  /** JSON Schema that the answer has to follow. */
  readonly format: Json | undefined;
  /** Results that came since then. */
  readonly results: readonly ToolResult[];
  /** Whether thoughts are asked for in a form that can be shown. */
  readonly thinking: boolean;
}

export type Brain = (request: BrainRequest) => Reply | Promise<Reply>;

export const echoBrain: Brain = ({ text, results, body }) => {
  const reply = says(
    results.length > 0 ? `Tool results: ${results.map((result) => result.text).join(', ')}` : `Echo: ${text}`,
  );
  const count = choicesAsked(body);
  return count > 1 ? { ...reply, alternatives: Array.from({ length: count - 1 }, () => reply.blocks) } : reply;
};

/** `n` of Chat Completions, `candidateCount` of Gemini. */
function choicesAsked(body: Json): number {
  if (!isObject(body)) return 1;
  const config = isObject(body.generationConfig) ? body.generationConfig : {};
  const count = body.n ?? config.candidateCount;
  return typeof count === 'number' ? Math.min(count, 128) : 1;
}
