import { Bookmark, GitCompare, Scissors, StickyNote, ThumbsDown, ThumbsUp } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Node } from '../api/types.ts';
import { ago, allTokens, duration, money, providerColor, shortNumber } from '../ui/format.ts';
import { PROVIDER_COLORS, ROLE_COLORS, roleName, takeOf } from './author.ts';
import { ask } from './desk.ts';

export interface MessageHeaderProps {
  readonly node: Node;
  readonly isBookmarked: boolean;
  readonly isMarked: boolean;
}

/** Who wrote it, when, what it cost, and what is said about it: one line that never changes its height. */
export function MessageHeader({ node, isBookmarked, isMarked }: MessageHeaderProps) {
  const take = takeOf(node);
  const { tags, note, rating } = node.marks;
  return (
    <>
      <h2 className={`shrink-0 text-sm font-semibold ${ROLE_COLORS[node.role]}`}>{roleName(node.role)}</h2>
      {take?.model !== undefined && (
        <span
          title={`${take.provider ?? take.issuer}/${take.model}`}
          className={`max-w-48 min-w-12 truncate text-xs font-medium ${PROVIDER_COLORS[providerColor(take.provider)]}`}
        >
          {take.model}
        </span>
      )}
      <time
        dateTime={new Date(node.at).toISOString()}
        title={new Date(node.at).toLocaleString()}
        className="min-w-0 shrink-[9] truncate text-xs text-faint"
      >
        {ago(node.at)}
      </time>
      {take?.usage && <Cost take={take} usage={take.usage} />}
      {take?.cut && (
        <Badge title={take.stop?.reason === 'cut' ? 'It was stopped before its end' : 'It ended early'} warn>
          <Scissors size={12} aria-hidden /> cut
        </Badge>
      )}
      {node.takes.some(({ via }) => via === 'edit') && <Badge title="Made by an edit">edited</Badge>}
      {isBookmarked && (
        <Bookmark size={14} aria-label="Bookmarked" role="img" className="shrink-0 fill-current text-accent" />
      )}
      {isMarked && <GitCompare size={14} aria-label="Marked to compare" role="img" className="shrink-0 text-accent" />}
      {rating !== undefined && rating !== 0 && <Rating rating={rating} />}
      {note !== undefined && (
        <button
          type="button"
          title={note}
          aria-label={`Note: ${note}`}
          onClick={() => ask('note', node)}
          className="shrink-0 rounded text-warn"
        >
          <StickyNote size={14} aria-hidden />
        </button>
      )}
      {tags.map((tag) => (
        <Badge key={tag} title={`Tag: ${tag}`}>
          #{tag}
        </Badge>
      ))}
    </>
  );
}

type Take = NonNullable<ReturnType<typeof takeOf>>;

function Cost({ take, usage }: { readonly take: Take; readonly usage: NonNullable<Take['usage']> }) {
  const tokens = allTokens(usage);
  const parts = [
    `${usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h} in (${usage.cacheRead} from cache)`,
    `${usage.output + usage.reasoning} out (${usage.reasoning} reasoning)`,
    ...(take.durationMs === undefined ? [] : [duration(take.durationMs)]),
    ...(take.estimated ? ['estimated'] : []),
  ];
  return (
    <span title={parts.join(', ')} className="hidden shrink-0 text-xs text-faint tabular-nums sm:inline">
      {shortNumber(tokens)} tok{take.cost !== undefined && ` · ${money(take.cost)}`}
    </span>
  );
}

function Rating({ rating }: { readonly rating: number }) {
  const Icon = rating > 0 ? ThumbsUp : ThumbsDown;
  return (
    <Icon
      size={14}
      role="img"
      aria-label={rating > 0 ? 'Rated good' : 'Rated bad'}
      className={`shrink-0 ${rating > 0 ? 'text-ok' : 'text-danger'}`}
    />
  );
}

function Badge({
  title,
  warn = false,
  children,
}: {
  readonly title: string;
  readonly warn?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <span
      title={title}
      className={`inline-flex max-w-32 shrink-0 items-center gap-1 truncate rounded px-1.5 text-xs ${warn ? 'bg-warn-soft text-warn' : 'bg-sunken text-soft'}`}
    >
      {children}
    </span>
  );
}
