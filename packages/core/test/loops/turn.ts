/** One turn of a conversation with nothing of the turn before but its text: loads what was saved, runs, saves. */
// What was saved may be of a dialect that the main entry leaves out.
import '@skein/core/dialect';
import { type Fetch, type Loss, MessageList, type RunOptions, run, tool, toolResult, user } from '@skein/core';

export interface Job {
  /** What the process before this one saved. */
  readonly saved?: string;
  readonly say?: string;
  /** The result of a call that is long closed. */
  readonly late?: { readonly id: string; readonly text: string };
  /** Stops the run once so many events of a stream have arrived. */
  readonly stopBehind?: number;
  readonly options: Pick<RunOptions, 'model' | 'env' | 'stream' | 'system' | 'cache' | 'approvals'>;
}

export interface Outcome {
  readonly saved: string;
  readonly text: string;
  readonly stop: string;
  readonly pending: readonly { readonly id: string; readonly name: string }[];
  /** How the calls ended. */
  readonly calls: readonly string[];
  /** Of each request: how many messages it was made of, and what it left out, changed or added. */
  readonly requests: readonly { readonly messages: number; readonly losses: readonly Loss[] }[];
}

const tools = [
  tool({
    name: 'get_weather',
    description: 'The weather of a city',
    input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    execute: ({ city }) => ({ city, celsius: 4 }),
  }),
  tool({
    name: 'fail',
    execute: () => {
      throw new Error('the disk is full');
    },
  }),
  tool({ name: 'delete_file', needsApproval: true, execute: () => 'deleted' }),
];

/** Passes a response through, and tells when so many events of it have gone by. */
const counting =
  (count: number, done: () => void): Fetch =>
  async (url, init) => {
    const { body, status, headers } = await fetch(url, init);
    let seen = 0;
    const through = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        seen +=
          Buffer.from(chunk)
            .toString('latin1')
            .split(/\r?\n\r?\n|:message-type/).length - 1;
        // Whoever reads gets its turn first.
        if (seen >= count) setTimeout(done, 10);
      },
    });
    return new Response(body?.pipeThrough(through) ?? null, { status, headers });
  };

/** Run by ../fresh-script.ts. */
export async function answer({ saved, say, late, stopBehind, options }: Job): Promise<Outcome> {
  const list = saved === undefined ? new MessageList() : MessageList.fromJSON(saved);
  if (late) list.append(toolResult(late.id, late.text));
  if (say !== undefined) list.append(user(say));
  const stopping = stopBehind === undefined ? {} : { fetch: counting(stopBehind, () => running.stop()) };
  const running = run({ ...options, ...stopping, messages: list, tools, previous: list.manifest, retry: false });
  const result = await running.result;
  list.extend(result.messages);
  list.manifest = result.manifest ?? list.manifest;
  return {
    saved: JSON.stringify(list),
    text: result.text,
    stop: result.stop.reason,
    pending: result.pending.map(({ id, name }) => ({ id, name })),
    calls: result.actions.map(({ outcome }) => outcome),
    requests: result.steps.map(({ manifest, losses }) => ({ messages: manifest.messages.length, losses })),
  };
}
