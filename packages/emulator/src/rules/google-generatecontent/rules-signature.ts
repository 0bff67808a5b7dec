/** Thought signatures, and how a conversation may end. */
import { isObject } from '../../json.ts';
import type { Issued, Memory } from '../verdict.ts';
import type { Context } from './context.ts';
import { demandsSignature, refusesModelTail } from './models.ts';
import { first, type Rule } from './rule.ts';
import { calls, type PlacedPart, place, responses, roleOf } from './turns.ts';

/** Dummies Google documents for tool calls of other models; they pass validation raw or as base64 of themselves. */
const DUMMIES = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];
const PASSES = new Set(DUMMIES.flatMap((text) => [text, standard(Buffer.from(text).toString('base64'))]));

/** One spelling for standard and URL base64, padded or not. */
function standard(value: string): string {
  const bare = value.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, '=');
}

const isDummy = (signature: string): boolean => PASSES.has(signature) || PASSES.has(standard(signature));

function issued(memory: Memory, signature: string): Issued | undefined {
  const plain = standard(signature);
  const spellings = [signature, plain, plain.replaceAll('+', '-').replaceAll('/', '_'), plain.replace(/=+$/, '')];
  return first(spellings, (spelling) => memory.issued(spelling));
}

const nameOf = ({ part: { functionCall: call } }: PlacedPart): unknown => (isObject(call) ? call.name : undefined);

/** Model parts after the last user content that is not a function response, one list per step. */
function currentSteps({ contents, turns }: Context): readonly (readonly PlacedPart[])[] {
  const start = contents.findLastIndex(
    (content, index) => roleOf(content) === 'user' && responses(place(content, index)).length === 0,
  );
  return turns
    .filter(({ role }) => role === 'model')
    .map(({ parts }) => calls(parts).filter(({ content }) => content > start));
}

function checkIssued(
  { parts, request: { memory } }: Context,
  broken: (found: Issued | undefined, part: PlacedPart) => boolean,
) {
  if (!memory) return undefined;
  const bad = parts.find((placed) => {
    const { thoughtSignature: signature } = placed.part;
    return typeof signature === 'string' && !isDummy(signature) && broken(issued(memory, signature), placed);
  });
  return bad && 'Corrupted thought signature.';
}

export const signatureRules: readonly Rule[] = [
  {
    id: 'sig-empty',
    check: ({ parts }) =>
      parts.some(({ part }) => part.thoughtSignature === '') ? 'Corrupted thought signature.' : undefined,
  },
  {
    // Parallel siblings carry none; past turns are not checked.
    id: 'sig-missing',
    check: (context) => {
      if (!demandsSignature(context.model)) return undefined;
      return first(currentSteps(context), ([call]) =>
        call && call.part.thoughtSignature === undefined
          ? `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${nameOf(call)}\` , position ${call.content + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`
          : undefined,
      );
    },
  },
  { id: 'sig-corrupt', check: (context) => checkIssued(context, (found) => found === undefined) },
  {
    // "Unsure" 10: a signature under another call. `Issued.text` is the name of the call it was issued with.
    id: 'sig-moved',
    unsure: true,
    check: (context) =>
      checkIssued(context, (found, placed) => {
        const name = nameOf(placed);
        return name !== undefined && found?.text !== undefined && found.text !== name;
      }),
  },
  {
    id: 'model-tail',
    check: ({ model, turns }) =>
      turns.at(-1)?.role === 'model' && refusesModelTail(model)
        ? 'Requests ending with a model turn are not supported.'
        : undefined,
  },
];
