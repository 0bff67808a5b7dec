import { type Message, user } from '@skein/core';
import { appendAt } from '../forest/append.ts';
import type { Context } from '../forest/context.ts';
import { ForestError } from '../forest/errors.ts';
import { placeBelow } from '../forest/place.ts';
import { resolveId } from '../forest/resolve.ts';
import { nodeId, ROOT } from '../model/index.ts';
import { readHistory } from './history.ts';
import type { Engine, GenerateOptions, GenerationState, Rerun } from './types.ts';

/** The same questions to another model: what people said stays, every answer is asked for again. */
export async function rerunTurns(
  context: Context,
  engine: Engine,
  path: string,
  { from = ROOT, ...options }: GenerateOptions & { readonly from?: string },
): Promise<Rerun> {
  const { store } = context;
  const start = await resolveId(store, from);
  const { messages, path: nodes } = await readHistory(store, await resolveId(store, path), { thread: options.thread });
  const at = nodes.findIndex(({ id }) => id === start);
  if (at < 0 && start !== ROOT)
    throw new ForestError('not_above', start, `Node ${start} does not lead to ${path}: "from" has to be above it.`);
  const generations: GenerationState[] = [];
  let head = start;
  for (const { said, answered } of turnsOf(messages.slice(at + 1))) {
    for (const message of said) head = await saidBelow(context, head, message);
    if (!answered) continue;
    const generation = await engine.generate(head, { ...options, n: 1 });
    const state = await generation.result;
    generations.push(state);
    const [branch] = state.branches;
    head = branch!.head;
    if (branch!.status !== 'done') break;
  }
  return { head, generations };
}

/** What is there already is gone on from as it is: nobody says it again. */
async function saidBelow(context: Context, head: string, message: Message): Promise<string> {
  const id = nodeId(head, message.origin.dialect, message.facts.digest);
  const [there] = await context.store.nodes([id]);
  if (there) return resolveId(context.store, id);
  const [added] = await appendAt(context, await placeBelow(context.store, head), [message], { via: 'generate' });
  return added!;
}

interface Turn {
  /** System and user messages, in order. */
  readonly said: readonly Message[];
  readonly answered: boolean;
}

function turnsOf(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = [];
  let said: Message[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      if (said.length > 0) turns.push({ said, answered: true });
      said = [];
    } else said.push(...wordsOf(message));
  }
  return said.length > 0 ? [...turns, { said, answered: false }] : turns;
}

/** Results belong to calls that are not made again; what a person said beside them stays. */
function wordsOf(message: Message): readonly Message[] {
  if (message.role === 'tool') return [];
  if (message.toolResults.length === 0) return [message];
  return message.text === '' ? [] : [user(message.text)];
}
