import { colorOf, KINDS, type Kind } from './kinds.ts';

export interface LegendProps {
  readonly kinds: ReadonlySet<Kind>;
  readonly hidden: ReadonlySet<Kind>;
  readonly onHidden: (hidden: ReadonlySet<Kind>) => void;
}

/** What the colours mean; each can be dimmed. */
export function Legend({ kinds, hidden, onHidden }: LegendProps) {
  const toggle = (kind: Kind) => {
    const next = new Set(hidden);
    if (!next.delete(kind)) next.add(kind);
    onHidden(next);
  };
  return (
    <ul aria-label="Legend" className="flex flex-wrap items-center gap-1">
      {KINDS.filter(({ kind }) => kinds.has(kind)).map(({ kind, title }) => (
        <li key={kind}>
          <button
            type="button"
            aria-pressed={!hidden.has(kind)}
            onClick={() => toggle(kind)}
            className={`flex h-6 items-center gap-1.5 rounded-md px-1.5 text-xs hover:bg-hover ${hidden.has(kind) ? 'text-faint line-through' : 'text-soft'}`}
          >
            <span
              aria-hidden
              className="size-2.5 rounded-sm border"
              style={{
                borderColor: `var(${colorOf(kind)})`,
                background: hidden.has(kind) ? 'transparent' : `var(${colorOf(kind)})`,
              }}
            />
            {title}
          </button>
        </li>
      ))}
    </ul>
  );
}
