import type { Message } from '@skein/core';
import { appendAt } from '../forest/append.ts';
import type { Context } from '../forest/context.ts';
import { placeBelow } from '../forest/place.ts';
import { resolveId } from '../forest/resolve.ts';
import { ROOT } from '../model/index.ts';
import { readHistory } from './history.ts';
import type { Engine, GenerateOptions } from './types.ts';

/** The same questions to another model: what people said stays, every answer is asked for again. */
export async function rerunTurns(
  context: Context,
  engine: Engine,
  path: string,
  { from = ROOT, ...options }: GenerateOptions & { readonly from?: string },
): Promise<string> {
  const { store } = context;
  const start = await resolveId(store, from);
  const { messages, path: nodes } = await readHistory(store, await resolveId(store, path));
  const behind = messages.slice(nodes.findIndex(({ id }) => id === start) + 1);
  let head = start;
  for (const { said, answered } of turnsOf(behind)) {
    const ids = await appendAt(context, await placeBelow(store, head), said, { via: 'generate' });
    head = ids.at(-1) ?? head;
    if (!answered) continue;
    const generation = await engine.generate(head, { ...options, n: 1 });
    const { branches } = await generation.result;
    const [branch] = branches;
    head = branch!.head;
    if (branch!.status !== 'done') break;
  }
  return head;
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
    } else if (message.role !== 'tool' && message.toolResults.length === 0) said.push(message);
  }
  return said.length > 0 ? [...turns, { said, answered: false }] : turns;
}
