import { dialect as dialectById } from '@skein/core';
import { type Forest, readGatewayReply } from '@skein/forest';
import type { OutgoingRequest } from './exchange.ts';

/** Finds what the last request of a thread offered, by the exchange that the next one goes on from. */
export interface LastRequests {
  /** The tools of the request that an exchange answered, in the client's words. */
  find(exchange: string): Promise<OutgoingRequest['tools'] | undefined>;
  keep(exchange: string, tools: OutgoingRequest['tools']): void;
}

/** How many lists of tools stay in memory. Those of other servers and of before a restart are read from the recording. */
const KEPT = 200;

export function createLastRequests(forest: Forest): LastRequests {
  const known = new Map<string, OutgoingRequest['tools']>();
  const keep: LastRequests['keep'] = (exchange, tools) => {
    known.delete(exchange);
    known.set(exchange, tools);
    if (known.size > KEPT) known.delete(known.keys().next().value!);
  };
  return {
    keep,
    async find(exchange) {
      const there = known.get(exchange);
      if (there) return there;
      const found = await readGatewayReply(forest, exchange);
      if (!found?.exchange.dialect) return undefined;
      const { tools } = dialectById(found.exchange.dialect).readRequest(found.request);
      keep(exchange, tools);
      return tools;
    },
  };
}
