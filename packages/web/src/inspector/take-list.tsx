import type { Take } from '../api/types.ts';
import { ago, duration, money } from '../ui/format.ts';
import { Row } from './usage-card.tsx';

/** Every time this message came to be: the same bytes after the same history are one node. */
export function TakeList({ takes }: { readonly takes: readonly Take[] }) {
  return (
    <section aria-label="Takes">
      <h3 className="mb-2 text-sm font-medium">{takes.length === 1 ? 'How it came to be' : `${takes.length} takes`}</h3>
      <ul className="flex flex-col gap-2">
        {takes.map((take) => (
          <li key={take.id} className="rounded-md border border-line p-2">
            <p className="mb-1 text-xs font-medium break-all">
              {take.model ?? AUTHORS[take.author]}
              <span className="font-normal text-soft" title={new Date(take.at).toLocaleString()}>
                {' '}
                · {ago(take.at)}
              </span>
            </p>
            <dl className="grid grid-cols-[1fr_auto] gap-x-3 gap-y-0.5 text-xs">
              {factsOf(take).map(([title, value]) => (
                <Row key={title} title={title} value={value} />
              ))}
            </dl>
          </li>
        ))}
      </ul>
    </section>
  );
}

const AUTHORS: Readonly<Record<Take['author'], string>> = {
  person: 'Written by a person',
  model: 'Written by a model',
  tool: 'Written by a tool',
  unknown: 'Written by someone unknown',
};

function factsOf(take: Take): readonly (readonly [string, string])[] {
  const { provider, via, stop, cut, firstEventMs, durationMs, usage, cost, requestId, estimated } = take;
  const written = usage ? usage.output + usage.reasoning : 0;
  const writing = (durationMs ?? 0) - (firstEventMs ?? 0);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Provider', provider],
    ['Via', via],
    ['First event', firstEventMs === undefined ? undefined : duration(firstEventMs)],
    ['Duration', durationMs === undefined ? undefined : duration(durationMs)],
    ['Speed', written > 0 && writing > 0 ? `${(written / (writing / 1000)).toFixed(1)} tokens/s` : undefined],
    ['Stopped', stop?.reason],
    ['Cut off', cut ? 'yes: it is kept, not whole' : undefined],
    ['Cost', cost === undefined ? undefined : money(cost)],
    ['Numbers', estimated ? 'estimated' : undefined],
    ['Request id', requestId],
  ];
  return facts.flatMap(([title, value]) => (value === undefined ? [] : [[title, value] as const]));
}
