/** What the rules look at, read once from the body: the input as a list of steps, whatever form it was sent in. */
import { asText, isObject, type Json, objects } from '../../json.ts';
import type { ResponsesMemory } from '../openai-responses/context.ts';
import type { JudgedRequest, Rule } from '../verdict.ts';
import { contentShapes } from './schema.ts';

export interface Context {
  readonly request: JudgedRequest;
  /** What Interactions keep has the form of what Responses keep: steps in place of items. */
  readonly memory: ResponsesMemory | undefined;
  readonly body: Json;
  readonly steps: readonly Json[];
  readonly previous: string | undefined;
}

export type InteractionsRule = Rule<Context>;

const isContent = ({ type }: Json): boolean => typeof type === 'string' && Object.hasOwn(contentShapes, type);

/** A string, one content, or a list of contents is one step of the user. */
export function inputSteps(input: unknown): readonly Json[] {
  if (typeof input === 'string') return [{ type: 'user_input', content: [{ type: 'text', text: input }] }];
  if (isObject(input)) return [isContent(input) ? { type: 'user_input', content: [input] } : input];
  const steps: Json[] = [];
  let contents: Json[] = [];
  for (const element of objects(input)) {
    if (!isContent(element)) {
      steps.push(element);
      contents = [];
      continue;
    }
    if (contents.length === 0) steps.push({ type: 'user_input', content: contents });
    contents.push(element);
  }
  return steps;
}

/** The results of a step: the step itself, or those among the contents of an input. */
export function stepResults(step: Json): readonly Json[] {
  if (step.type === 'function_result') return [step];
  return step.type === 'user_input' ? objects(step.content).filter(({ type }) => type === 'function_result') : [];
}

export const readContext = (request: JudgedRequest, body: Json): Context => ({
  request,
  memory: request.memory,
  body,
  steps: inputSteps(body.input),
  previous: asText(body.previous_interaction_id),
});
