import type { JsonObject } from '../json/index.ts';
import type { Content, Message } from '../message/index.ts';

/** A schema by the Standard Schema convention (zod, arktype, valibot …). */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

export interface ToolContext {
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The history up to and with the message that makes the call. */
  readonly messages: readonly Message[];
}

/** What a tool gives back: text, content blocks, or any JSON value. */
export type ToolOutput = Content | JsonObject | number | boolean | null | undefined | readonly unknown[];

export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments, as sent to the model. */
  readonly parameters: JsonObject;
  /** Checks the arguments; all findings, or the input for `execute`. */
  readonly check: (input: unknown) => Promise<StandardResult<Input>>;
  readonly execute: (input: Input, context: ToolContext) => ToolOutput | Promise<ToolOutput>;
  readonly sequential: boolean;
  readonly timeoutMs: number | undefined;
  readonly needsApproval: (input: Input, context: ToolContext) => boolean | Promise<boolean>;
}
