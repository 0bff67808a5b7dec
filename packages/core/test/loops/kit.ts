/** What the tests of this folder share: conversations of which every turn starts from text alone, judged by what was sent. */
import { fileURLToPath } from 'node:url';
import { diffPrefix, MessageList } from '@skein/core';
import type { Emulator } from '@skein/emulator';
import '@skein/core/dialect';
import { afterAll, beforeAll, expect } from 'vitest';
import { bundleScript, type FreshScript } from '../fresh-script.ts';
import { messagesIn, opaqueIn, parting, unmarked } from './compare.ts';
import type { Job, Outcome } from './turn.ts';

let script: FreshScript<Job, Outcome>;

/** Call it once at the top of a test file. */
export function useFreshTurns(): void {
  beforeAll(async () => {
    script = await bundleScript(fileURLToPath(new URL('turn.ts', import.meta.url)));
  });
  afterAll(() => script.close());
}

export const bodiesOf = (emulator: Emulator): string[] => emulator.log.map(({ body }) => body.toString());

/** A conversation of which every turn is loaded, continued and saved by modules, or by a process, of its own. */
export class Saved {
  readonly #emulator: Emulator;
  readonly #run: 'run' | 'runInProcess';
  text: string | undefined;

  /** `npm run torture` takes a process for every turn. */
  constructor(emulator: Emulator, inProcesses = process.env.SKEIN_KILLS !== undefined) {
    this.#emulator = emulator;
    this.#run = inProcesses ? 'runInProcess' : 'run';
  }

  /** What holds for every turn: nothing is refused, and every bound block that is not sent is in the losses. */
  async turn(job: Omit<Job, 'saved'>): Promise<Outcome> {
    const { log } = this.#emulator;
    const before = log.length;
    const outcome = await script[this.#run]({ ...job, ...(this.text !== undefined && { saved: this.text }) });
    this.text = outcome.saved;
    const sent = log.slice(before);
    for (const { verdict, body } of sent) expect(verdict.refusal, body.toString()).toBeUndefined();
    outcome.requests.forEach(({ messages, losses }, index) => {
      const told = losses.filter(({ kind }) => kind === 'dropped').map(({ message }) => message);
      expect(told).toEqual(expect.arrayContaining(this.#unsent(messages, sent[index]!.body.toString())));
    });
    return outcome;
  }

  /** Those of the first messages that hold something opaque which a request does not. */
  #unsent(count: number, body: string): number[] {
    const messages = [...MessageList.fromJSON(this.text!)].slice(0, count);
    return messages.flatMap(({ raw }, index) =>
      opaqueIn(raw).some((secret) => !body.includes(secret)) ? [index] : [],
    );
  }
}

/**
 * Every request begins with all that the one before said, by two judges. Where an API wants one message for a turn, the
 * last one may have grown.
 */
export function expectExtending(bodies: readonly string[], grows = false): void {
  for (let index = 1; index < bodies.length; index++) {
    if (grows && hasGrown(bodies[index - 1]!, bodies[index]!)) continue;
    expect(parting(bodies[index - 1]!, bodies[index]!), `request ${index}`).toBeUndefined();
    expect(diffPrefix(bodies[index - 1]!, bodies[index]!)).toBeUndefined();
  }
}

/** Whether nothing but the last message differs, and only by what was added to it. */
function hasGrown(before: string, after: string): boolean {
  const [then, now] = [messagesIn(before).map(unmarked), messagesIn(after).map(unmarked)];
  const last = then.pop()!;
  return then.every((text, at) => text === now[at]) && now[then.length]!.startsWith(last.slice(0, -2));
}
