import { isJson, isObject, parseJson } from '@skein/core';
import type { ForestNode } from '../../forest/read/read-nodes.ts';
import type { TakeRecord } from '../../model/index.ts';
import { exactText, exactValue } from '../source/exact.ts';

/** What the older layout says of a node beside its message, as JSON texts. */
export interface OlderFacts {
  readonly metadata: string;
  /** Members of the file that are neither the tree's nor the message's. */
  readonly file: string;
  /** Names of what the layout has no place for. */
  readonly dropped: readonly string[];
}

/** Members of a take that are written, or that every forest gives anew. */
const PLACED: ReadonlySet<string> = new Set(
  'k id node at author via origin thread provider model params usage stop extra'.split(' '),
);

/** Members of the metadata that are made from the take and the marks, whatever an importer called so. */
const OWN = ['timestamp', 'original_root_id', 'tags'];

/** When, by whom, and what people said of it. What came from the older layout goes back as it was. */
export function olderFacts({ takes, at, marks }: ForestNode, rootId: string): OlderFacts {
  const take = takes.find(({ author }) => author === 'model') ?? takes[0];
  const { older, file, source_info: source, ...extra } = { ...take?.extra };
  const metadata = {
    ...extra,
    timestamp: new Date(take?.at ?? at).toISOString(),
    original_root_id: rootId,
    tags: marks.tags.length > 0 ? marks.tags : undefined,
  };
  const sourceText = exactText({ ...sourceInfo(take, older !== undefined), ...(isObject(source) && source) }, 2);
  return {
    metadata: `${exactText(metadata, 1).slice(0, -1)},"source_info":${sourceText}}`,
    file: exactText(isObject(file) ? file : {}, 1),
    dropped: [
      ...Object.keys(marks).filter((name) => name !== 'tags'),
      ...(takes.length > 1 ? ['takes'] : []),
      ...Object.keys(take ?? {}).filter((name) => !PLACED.has(name)),
      ...(take?.stop && take.stop.native === undefined ? ['stop'] : []),
      // Of the older layout itself, these are what is written anew.
      ...OWN.filter((name) => older === undefined && name in extra).map((name) => `extra.${name}`),
    ],
  };
}

function sourceInfo(take: TakeRecord | undefined, isOlder: boolean): Record<string, unknown> {
  if (take?.author !== 'model') return { type: take?.author === 'tool' ? 'tool_result' : 'user' };
  const { provider, model, params, stop, usage } = take;
  return {
    type: 'model',
    ...(provider && { provider }),
    ...(model && { model_name: model }),
    ...(params && { parameters: params }),
    ...(stop?.native && { finish_reason: stop.native }),
    ...(usage && { usage: usageOf(usage, isOlder) }),
  };
}

/** The provider's own numbers are `raw` there; of a node from the older layout, the whole of it was kept. */
function usageOf({ input, output, native }: NonNullable<TakeRecord['usage']>, isOlder: boolean): unknown {
  const raw = isJson(native) ? exactValue(native, parseJson(native)) : native;
  return isOlder ? raw : { input_tokens: input, output_tokens: output, raw };
}
