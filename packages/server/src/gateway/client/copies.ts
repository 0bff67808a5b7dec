import type { Usage } from '@skein/core';
import type { BlockEvent } from '@skein/core/dialect';
import type { GatewayRecording } from '../memory/recording.ts';
import type { Restorer } from '../memory/restore.ts';
import { type AskOptions, ask, type UpstreamAnswer } from '../request/exchange.ts';
import { type AnswerSource, responseIdFor } from './answer.ts';
import type { ClientCall } from './client-call.ts';

/** A further reply to the same request, with a recording of its own. */
interface Copy {
  readonly upstream: UpstreamAnswer;
  readonly recording: GatewayRecording;
}

/** Asks the same again, at the same time. */
export function askCopies(
  count: number,
  options: AskOptions,
  beginRecording: () => GatewayRecording,
): Promise<readonly Copy[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const recording = beginRecording();
      const upstream = await ask({ ...options, tap: recording.tap });
      return { upstream, recording };
    }),
  );
}

/** Records a further reply as if the client had got it alone. */
export async function keepCopy(call: ClientCall, { upstream, recording }: Copy, restorer: Restorer): Promise<void> {
  const reply = upstream.reply();
  const { served } = upstream.request;
  const head = {
    id: responseIdFor(call, recording.id),
    model: call.model ?? '',
    created: Math.floor(Date.now() / 1000),
  };
  const { body, losses } = call.server.writeReply!({ ...head, ...reply, ...(served && { tools: served }) });
  recording.head(200, {}, false);
  await recording.keep(call, upstream, { reply, last: body, losses }, restorer);
}

/** Several answers to one request as one answer with alternatives, in the order of the sources. Tokens are those of all. */
export function joinCopies(sources: readonly [AnswerSource, ...AnswerSource[]]): AnswerSource {
  const [first] = sources;
  if (sources.length === 1) return first;
  return {
    dialect: first.dialect,
    events: joinEvents(sources.map(({ events }) => events)),
    reply() {
      const [reply, ...others] = sources.map((source) => source.reply());
      return {
        ...reply!,
        alternatives: others.map(({ message, stop }) => ({ message, stop })),
        usage: addUsage([reply!, ...others].map(({ usage }) => usage)),
      };
    },
  };
}

/** The events of all sources as they arrive; those of the first are not marked. */
async function* joinEvents(
  sources: readonly AsyncIterable<readonly BlockEvent[]>[],
): AsyncGenerator<readonly BlockEvent[]> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  const next = async (choice: number) => ({ choice, result: await iterators[choice]!.next() });
  const pending = new Map(iterators.map((_, choice) => [choice, next(choice)]));
  try {
    while (pending.size > 0) {
      const { choice, result } = await Promise.race(pending.values());
      if (result.done) {
        pending.delete(choice);
        continue;
      }
      pending.set(choice, next(choice));
      yield choice === 0 ? result.value : result.value.map((event) => ({ type: 'choice', choice, event }));
    }
  } finally {
    for (const waiting of pending.values()) waiting.catch(() => undefined);
    await Promise.all(iterators.map((iterator) => iterator.return?.()));
  }
}

function addUsage(usages: readonly (Usage | undefined)[]): Usage | undefined {
  const [first, ...others] = usages.filter((usage) => usage !== undefined);
  if (!first) return undefined;
  return others.reduce<Usage>(
    (sum, usage) => ({
      input: sum.input + usage.input,
      cacheRead: sum.cacheRead + usage.cacheRead,
      cacheWrite5m: sum.cacheWrite5m + usage.cacheWrite5m,
      cacheWrite1h: sum.cacheWrite1h + usage.cacheWrite1h,
      output: sum.output + usage.output,
      reasoning: sum.reasoning + usage.reasoning,
      native: sum.native,
    }),
    first,
  );
}
