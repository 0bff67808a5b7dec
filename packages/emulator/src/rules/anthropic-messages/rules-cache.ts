/** `cache_control`, in the order the API processes it: tools, system, messages. */
import { isObject, type Json } from '../../json.ts';
import type { Context } from './context.ts';
import { first, type Rule } from './rule.ts';

interface Marked {
  readonly path: string;
  readonly holder: Json;
}

const nested = ({ path, holder }: Marked): readonly Marked[] =>
  Array.isArray(holder.content)
    ? holder.content.filter(isObject).map((item, index) => ({ path: `${path}.content.${index}`, holder: item }))
    : [];

const isMarked = ({ holder }: Marked): boolean => isObject(holder.cache_control);

/** Everything with a `cache_control`; blocks inside a tool_result stand before the result itself. */
function marked({ tools, system, blocks }: Context): readonly Marked[] {
  const all: readonly Marked[] = [
    ...tools.map((holder, index) => ({ path: `tools.${index}`, holder })),
    ...system.map((holder, index) => ({ path: `system.${index}`, holder })),
    ...blocks.map(({ path, block }) => ({ path, holder: block })),
  ];
  return all.flatMap((item) => [...nested(item), item]).filter(isMarked);
}

const ttl = ({ holder: { cache_control: control } }: Marked): unknown =>
  isObject(control) ? (control.ttl ?? '5m') : '5m';

export const cacheRules: readonly Rule[] = [
  {
    id: 'cache-empty',
    check: (context) => {
      const empty = marked(context).find(({ holder }) => holder.type === 'text' && holder.text === '');
      return empty && `${empty.path}.text: cache_control cannot be set for empty text blocks`;
    },
  },
  {
    id: 'cache-max',
    check: (context) => {
      const found = marked(context).length;
      return found > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${found}.` : undefined;
    },
  },
  {
    id: 'cache-ttl-order',
    check: (context) => {
      const all = marked(context);
      const late = all.findIndex(
        (item, index) => ttl(item) === '1h' && all.slice(0, index).some((other) => ttl(other) === '5m'),
      );
      return late < 0
        ? undefined
        : `${all[late]?.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`;
    },
  },
  {
    // "Unsure" 8: Copilot and Vertex refuse it.
    id: 'cache-in-tool-result',
    unsure: true,
    check: ({ blocks }) =>
      first(blocks, ({ type, path, block }) => {
        const inner = type === 'tool_result' ? nested({ path, holder: block }).find(isMarked) : undefined;
        return inner && `${inner.path}.cache_control: not allowed inside tool_result.content by every host`;
      }),
  },
];
