import { type Tool, type ToolOutput, tool } from '@skein/core';
import { type Got, get } from './get.ts';
import type { FetchRules } from './rules.ts';

export interface FetchToolOptions extends FetchRules {
  readonly maxBytes?: number;
  readonly seconds?: number;
}

/** `fetch_url`: gets a public address. Private ones are refused, also behind a name or a redirect. */
export function fetchTool({ maxBytes = 1_000_000, seconds = 20, ...rules }: FetchToolOptions = {}): Tool {
  return tool({
    name: 'fetch_url',
    description: 'Gets what is at a public web address, as text or as an image.',
    input: {
      type: 'object',
      properties: { url: { type: 'string', description: 'An http or https address' } },
      required: ['url'],
      additionalProperties: false,
    },
    execute: async ({ url }, { signal }) =>
      shown(await within(seconds, signal, (limited) => get(String(url), { ...rules, maxBytes, signal: limited }))),
  }) as Tool;
}

/** Not by `AbortSignal.timeout`: one that only `AbortSignal.any` knows is collected like garbage, and never ends anything. */
async function within<T>(seconds: number, signal: AbortSignal, work: (limited: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const giveUp = () => limit.abort(signal.reason);
  const timer = setTimeout(
    () => limit.abort(new Error(`There was no whole answer after ${seconds} seconds.`)),
    seconds * 1000,
  );
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await work(limit.signal);
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

function shown({ url, status, mediaType, body, cut }: Got): ToolOutput {
  const head = `${url} answered ${status}, ${mediaType}${cut ? ', cut because it is too long' : ''}`;
  if (/^image\/(png|jpeg|gif|webp)$/.test(mediaType) && !cut) {
    const data = body.toString('base64');
    return [
      { type: 'text', text: head },
      { type: 'media', mediaType, source: { kind: 'base64', data } },
    ];
  }
  if (!/^text\/|[/+](json|xml|yaml|javascript)$/.test(mediaType)) throw new Error(`${head}: this is not text.`);
  return `${head}:\n\n${body.toString('utf8')}`;
}
