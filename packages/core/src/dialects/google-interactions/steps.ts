import { elementTexts, isObject, type JsonObject, parseJson } from '../../json/index.ts';
import { ProtocolError } from '../reply.ts';
import { DIALECT } from './provider.ts';

/** One element of `input` or `steps`. */
export interface Step {
  readonly value: unknown;
  readonly text: string;
}

/** Reads the steps of a message: a model's turn is a list of steps, everything else a single step. */
export function readSteps(raw: string): { readonly steps: readonly Step[]; readonly isTurn: boolean } {
  const value = parseJson(raw);
  if (Array.isArray(value))
    return { steps: elementTexts(raw).map((text, index) => ({ text, value: value[index] })), isTurn: true };
  if (!isObject(value)) throw new ProtocolError(DIALECT, 'a message is a step or a list of steps', raw);
  return { steps: [{ text: raw.trim(), value }], isTurn: false };
}

export function turnText(steps: readonly string[]): string {
  return `[${steps.join(',')}]`;
}

/** A step of the user that holds this content, which is the text of a list. */
export function inputText(content: string): string {
  return `{"type":"user_input","content":${content}}`;
}

/** Whether the API issued this step, so that it belongs to a model's turn. Clients write their input and results. */
export function isModelStep(step: unknown): boolean {
  return !(isObject(step) && /_input$|^function_result$/.test(String(step.type)));
}

/** Whether an element of `input` is content that stands there without a step around it. */
export function isContent(element: unknown): boolean {
  return isObject(element) && /^(?:text|image|audio|video|document)$/.test(String(element.type));
}

export function hasType<T extends string>(step: unknown, type: T): step is JsonObject & { readonly type: T } {
  return isObject(step) && step.type === type;
}
