import type { Message } from '@skein/core';
import { type Echo, extendEcho, nodeId, sha256 } from '../model/index.ts';
import type { IdChain } from '../store/index.ts';

/**
 * The ids of a history below a place, each made when it is first asked for. The texts are hashed here, by Node: asking for the facts
 * of a message would parse it, too.
 */
export function idsBelow(place: string, messages: readonly Message[]): IdChain {
  const ids: string[] = [];
  return {
    length: messages.length,
    at(index) {
      for (let at = ids.length; at <= Math.min(index, messages.length - 1); at++) {
        const { origin, raw } = messages[at]!;
        ids.push(nodeId(ids.at(-1) ?? place, origin.dialect, sha256(raw)));
      }
      return ids[index];
    },
  };
}

/**
 * The echoes of the messages from an index on, but for those that only continue the leading system messages; where the
 * first of them stands, and where the system messages end, if they do so here.
 */
export function echoesBehind(
  from: Echo,
  messages: readonly Message[],
  index: number,
): { readonly echoes: string[]; readonly start: number; readonly systemEnd: number | undefined } {
  const echoes: string[] = [];
  let echo = from;
  let systemEnd: number | undefined;
  for (let at = index; at < messages.length; at++) {
    const wasLeading = echo.leading;
    echo = extendEcho(echo, messages[at]!);
    if (wasLeading && !echo.leading) systemEnd = at;
    if (!echo.leading) echoes.push(echo.text);
  }
  return { echoes, start: messages.length - echoes.length, systemEnd };
}

/**
 * Whether the last message of a history leaves an echo of its own. Then what was said to it and leaves none, such as an
 * empty reply, is not part of the history, although its echo is the same: who asks again gets an answer beside it.
 */
export function endsAloud(echoes: readonly string[], before: Echo): boolean {
  return echoes.at(-1) !== (echoes.at(-2) ?? before.text);
}
