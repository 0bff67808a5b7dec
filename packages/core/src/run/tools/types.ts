import type { NativeTool } from '../../dialects/index.ts';
import type { JsonObject } from '../../json/index.ts';
import type { Content, MediaBlock, Message } from '../../message/index.ts';

/** A schema by the Standard Schema convention (zod, arktype, valibot …). */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => CheckResult<Output> | Promise<CheckResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** Standard JSON Schema: libraries that have it can be sent to a model without a schema beside them. */
    readonly jsonSchema?: { input(options: { readonly target: string }): JsonObject } | undefined;
  };
}

export type CheckResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Finding[] };

/** One thing that is wrong with the arguments of a call. */
export interface Finding {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

export interface ToolContext {
  /** Aborts when the run is stopped or the tool's time is up. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The history up to and with the message that makes the call. */
  readonly messages: readonly Message[];
  /** Writes a line into the end user's log of actions. */
  readonly note: (text: string) => void;
}

/** What a tool gives back: text, content blocks (text and media), or any JSON value. */
export type ToolOutput =
  | Content
  | MediaBlock
  | JsonObject
  | readonly unknown[]
  | number
  | bigint
  | boolean
  | null
  | undefined;

// Methods, not properties: a tool for one kind of input must fit into a list of tools of any kind.
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments, as sent to the model. */
  readonly parameters: JsonObject;
  /** Sent in place of the schema where a dialect has words of its own for this tool. */
  readonly native: readonly NativeTool[];
  /** Checks the arguments, given as the exact text that the model wrote: all findings, or the input for `execute`. */
  check(argumentsText: string): Promise<CheckResult<Input>>;
  execute(input: Input, context: ToolContext): ToolOutput | Promise<ToolOutput>;
  /** Runs alone: after the calls before it, and before those behind it. */
  readonly sequential: boolean;
  readonly timeoutMs: number | undefined;
  needsApproval(input: Input, context: ToolContext): boolean | Promise<boolean>;
}
