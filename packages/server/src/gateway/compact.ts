import { type Environment, exchange, find, splice, type TextExchange, type Usage, user } from '@skein/core';
import { type CompactionOperation, serving } from '@skein/core/dialect';
import type { ClientCall, Target } from './client-call.ts';
import type { OutgoingRequest } from './exchange.ts';

/** What a model is told when it sums up a conversation. */
const INSTRUCTION = `Sum up our conversation so far, so that another model can continue it without having read it. Write down, under short headings: what the user wants and every instruction that still holds; what was done, decided and found out, with exact names, paths, commands, numbers and code that are needed again; what failed; what is left to do, and the next step. Leave out greetings and repetitions. Write the summary only, and call no tools.`;

/** The request that asks a model for the summary: the conversation, and the instruction behind it. */
export function toSummaryRequest(request: OutgoingRequest): OutgoingRequest {
  const { toolChoice: _, parallelToolCalls: _calls, ...params } = request.params;
  return { ...request, messages: [...request.messages, user(INSTRUCTION)], params };
}

/** The answer to a client that asked for a shorter conversation. */
export function writeCompaction(
  { api, request = {} }: Pick<ClientCall, 'api' | 'request'>,
  summary: string,
  { id, usage }: { readonly id: string; readonly usage: Usage | undefined },
): string {
  const head = { id, created: Math.floor(Date.now() / 1000), usage };
  return JSON.stringify((api.compacting as CompactionOperation).write(summary, request, head));
}

/** A request in which the summaries that we handed out are plain messages. */
export function expandSummaries({ api, body = '', request }: Pick<ClientCall, 'api' | 'body' | 'request'>): string {
  return request && api.compacting ? api.compacting.expand(body) : body;
}

/** Whether the vendor of the target compacts conversations of this protocol itself. */
export function compactsItself({ dialect }: Pick<ClientCall, 'dialect'>, { provider }: Target): boolean {
  return provider.id === dialect.home.id && serving(dialect).api?.compacting !== undefined;
}

/** Has the vendor compact the conversation: the client's own request, under the model's own name. */
export async function compactUpstream(
  { api, body = '' }: Pick<ClientCall, 'api' | 'body'>,
  { provider, model }: Target,
  options: { readonly env: Environment; readonly key: string | undefined; readonly signal: AbortSignal },
): Promise<TextExchange> {
  const { connection } = provider;
  const named = find(body, ['model']);
  return exchange({
    provider: { ...provider, connection: { ...connection!, path: api.compacting!.path(connection!.path) } },
    model,
    body: named ? splice(body, [{ ...named, text: JSON.stringify(model) }]) : body,
    stream: false,
    ...options,
  });
}
