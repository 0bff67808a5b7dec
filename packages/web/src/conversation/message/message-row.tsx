import {
  Ban,
  Bookmark as BookmarkIcon,
  CornerDownRight,
  GitCompare,
  Scissors,
  StickyNote,
  ThumbsDown,
  ThumbsUp,
} from 'lucide-react';
import { type MouseEvent, memo, type ReactNode } from 'react';
import type { ContextChange, Node } from '../../api/types.ts';
import { useFolds } from '../../blocks/folds.ts';
import { goTo } from '../../state/place.ts';
import { useView } from '../../state/view.ts';
import { providerText, roleText } from '../../ui/colors.ts';
import { ago, duration, money, shortNumber, totalTokens } from '../../ui/format.ts';
import { LANGUAGE, t } from '../../words/words.ts';
import { openDialog, useScreenState } from '../screen-state.ts';
import { useSiblings } from '../use-siblings.ts';
import type { LiveTail } from '../use-thread.ts';
import { mainTake, roleName } from './author.ts';
import { GrowingAuthor, GrowingState } from './growing.tsx';
import { MessageActions, MessageEditor } from './message-actions.tsx';
import { Content, isEmpty } from './message-content.tsx';
import type { Pairs } from './pair-calls.ts';
import { ContextNote, MessageLosses } from './request-notes.tsx';
import { BranchRail, SiblingSwitcher } from './sibling-switcher.tsx';

interface RowProps {
  /** The message; absent while it grows. */
  readonly node?: Node;
  /** The branch that grows; absent when its message is complete. */
  readonly tail?: LiveTail;
  readonly leaf: string;
  readonly isSelected?: boolean;
  readonly isBookmarked?: boolean;
  readonly isOtherProvider?: boolean;
  /** Whether the model that wrote it also wrote what is above it, as in a row of tool calls. */
  readonly isContinued?: boolean;
  readonly pairs?: Pairs;
  /** The change of context that takes effect at this message. */
  readonly change?: ContextChange | undefined;
}

const UNPAIRED: Pairs = {};

/**
 * One message. What a person wrote is a bubble at the right; what a model wrote is plain text, headed by the model's name. All
 * else that is known of a message is in the line below it, which shows when the pointer or the focus is on the message.
 *
 * An answer that grows has the same elements, so its text stays on screen when it is complete: drawing all of a long one anew
 * would be seen.
 */
export const MessageRow = memo(function MessageRow(props: RowProps) {
  const { node, tail, leaf, isSelected = false, isBookmarked = false, isOtherProvider = false } = props;
  const { pairs = UNPAIRED, change, isContinued = false } = props;
  const siblings = useSiblings(node, tail);
  const isMarked = useView(({ marked }) => node !== undefined && marked.includes(node.id));
  const isRaw = useFolds(({ raw }) => node !== undefined && raw.has(node.id));
  const isEditing = useScreenState(({ editing }) => node !== undefined && editing === node.id);
  const marks = { isBookmarked, isMarked };
  const isThin = node !== undefined && isShownElsewhere(node, pairs);
  const isEmptyRow =
    isThin && siblings.positions.length <= 1 && !change && !isBookmarked && !isMarked && !hasMarks(node);
  const isOwn = node?.role === 'user' && !isThin;
  const isHeaded = siblings.positions.length > 1 || !isContinued;
  const parent = node?.parent ?? tail?.branch.head ?? '';
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys move the selection everywhere on this screen
    // biome-ignore lint/a11y/noStaticElementInteractions: a click is only the shorter way
    <div
      {...(node && { 'data-node': node.id })}
      {...(isSelected && { 'data-selected': '', 'aria-current': true as const })}
      onClick={(event) => node && !isSelected && isOnMessage(event) && goTo(node.id, { replace: true })}
      className="group relative mx-auto flex w-full max-w-3xl pr-3"
    >
      <BranchRail parent={parent} {...siblings} />
      <article
        aria-label={node ? t('message.label', { role: node.role }) : t('message.growing')}
        {...(tail && { 'aria-busy': tail.branch.status === 'running' })}
        className={`min-w-0 grow border-l-2 border-transparent px-3 pt-2 ${node ? 'group-data-selected:border-accent/60' : 'pb-2'} ${isEmptyRow ? EMPTY_ROW : ''}`}
      >
        {change && <ContextNote change={change} />}
        {isThin ? (
          <ResultLine names={[...pairs.shown!.values()]} />
        ) : (
          <div className={isOwn ? 'flex flex-col items-end' : ''}>
            {node && <Author node={node} isQuiet={isOwn || !isHeaded} />}
            {tail && isHeaded && <GrowingAuthor tail={tail} hasSiblings={siblings.positions.length > 1} />}
            {node && isEditing ? (
              <MessageEditor node={node} leaf={leaf} />
            ) : (
              <div className={isOwn ? BUBBLE : 'min-w-0'} {...(tail && { 'aria-live': 'polite' as const })}>
                <Content node={node} tail={tail} pairs={pairs} isRaw={isRaw} />
              </div>
            )}
          </div>
        )}
        {tail && <GrowingState tail={tail} siblings={siblings} />}
        {node && <StopNote node={node} />}
        {node && <MessageLosses node={node} isOtherProvider={isOtherProvider} />}
        {node && (
          <footer
            className={`flex min-h-7 flex-wrap items-center gap-x-1 gap-y-1 ${isOwn ? 'flex-row-reverse' : ''} ${isThin ? '-mt-6 justify-end' : 'mt-0.5 mb-2'}`}
          >
            {siblings.positions.length > 1 && <SiblingSwitcher parent={parent} {...siblings} />}
            <Marks node={node} {...marks} />
            <MessageActions node={node} {...marks} isRaw={isRaw} />
            <Facts node={node} />
          </footer>
        )}
      </article>
    </div>
  );
});

const BUBBLE =
  'max-w-[min(85%,36rem)] min-w-0 rounded-2xl rounded-tr-md bg-bubble px-4 py-2.5 text-ink [&_pre]:bg-transparent';

/** A row whose result is shown with its call takes no room until it is selected or has the focus. */
const EMPTY_ROW =
  'h-0 overflow-hidden pt-0 group-data-selected:h-auto group-data-selected:pt-2 group-focus-within:h-auto';

/** The line in place of a result that is shown with its call. */
function ResultLine({ names }: { readonly names: readonly string[] }) {
  return (
    <p className="flex h-6 items-center gap-1.5 truncate text-xs text-faint opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 group-data-selected:opacity-100">
      <CornerDownRight size={12} aria-hidden className="shrink-0" />
      {t('message.shown-with-call', { names: names.join(', ') })}
    </p>
  );
}

/** Who wrote it: the name of the model, or the role. The reader's own messages are known by their place. */
function Author({ node, isQuiet }: { readonly node: Node; readonly isQuiet: boolean }) {
  const take = mainTake(node);
  if (isQuiet) return <h2 className="sr-only">{roleName(node.role)}</h2>;
  return (
    <header className="mb-1 flex h-6 items-center gap-2">
      <span aria-hidden className={`size-2 shrink-0 rounded-full bg-current ${authorColor(node)}`} />
      <h2 className="min-w-0 truncate text-xs font-semibold text-soft">
        {take?.model === undefined ? (
          roleName(node.role)
        ) : (
          <>
            <span className="sr-only">{roleName(node.role)}: </span>
            <span title={`${take.provider ?? take.issuer}/${take.model}`}>{take.model}</span>
          </>
        )}
      </h2>
    </header>
  );
}

function authorColor(node: Node): string {
  const take = mainTake(node);
  return take?.model === undefined ? roleText(node.role, 'text-faint') : providerText(take.provider);
}

/** Says that a model declined, was filtered, or had no room to end. Nothing else tells these answers from others. */
function StopNote({ node }: { readonly node: Node }) {
  const reason = mainTake(node)?.stop?.reason;
  const said = reason === undefined || isEmpty(node.content) ? undefined : STOPS[reason];
  if (!said || node.content.some(({ type }) => type === 'refusal')) return null;
  return (
    <p
      role="note"
      className="my-1.5 flex w-fit items-center gap-2 rounded-lg bg-warn-soft px-3 py-1.5 text-xs text-warn"
    >
      <Ban size={14} aria-hidden className="shrink-0" />
      {said}
    </p>
  );
}

const STOPS: Readonly<Record<string, string>> = {
  refusal: t('message.declined'),
  filter: t('message.filtered'),
  length: t('message.limit-reached'),
};

/** Whether a click should select the message: not on a button or menu, and not while selecting text. */
function isOnMessage({ target, currentTarget }: MouseEvent<HTMLElement>): boolean {
  const isInside = target instanceof Element && currentTarget.contains(target);
  return isInside && !target.closest('a, button, textarea') && window.getSelection()?.isCollapsed !== false;
}

/** Whether a message holds only results that are shown with their calls. */
function isShownElsewhere(node: Node, { shown }: Pairs): boolean {
  return (
    shown !== undefined && node.content.every((block) => block.type === 'tool-result' && shown.has(block.toolCallId))
  );
}

/** Whether `Marks` shows anything of the message itself. */
function hasMarks({ marks, takes }: Node): boolean {
  const { tags, note, rating } = marks;
  return tags.length > 0 || note !== undefined || !!rating || takes.some(({ via, cut }) => cut || via === 'edit');
}

interface MarksProps {
  readonly node: Node;
  readonly isBookmarked: boolean;
  readonly isMarked: boolean;
}

/** What people noted on a message. It is always visible. */
function Marks({ node, isBookmarked, isMarked }: MarksProps) {
  const take = mainTake(node);
  const { tags, note, rating } = node.marks;
  return (
    <>
      {take?.cut && (
        <Badge title={take.stop?.reason === 'cut' ? t('message.cut-by-person') : t('message.cut-early')} warn>
          <Scissors size={12} aria-hidden /> {t('message.cut')}
        </Badge>
      )}
      {node.takes.some(({ via }) => via === 'edit') && (
        <Badge title={t('message.edited-about')}>{t('message.edited')}</Badge>
      )}
      {isBookmarked && (
        <BookmarkIcon
          size={14}
          aria-label={t('message.bookmarked')}
          role="img"
          className="mx-1 shrink-0 fill-current text-accent first:ml-0"
        />
      )}
      {isMarked && (
        <GitCompare
          size={14}
          aria-label={t('message.marked-to-compare')}
          role="img"
          className="mx-1 shrink-0 text-accent"
        />
      )}
      {rating !== undefined && rating !== 0 && <Rating rating={rating} />}
      {note !== undefined && (
        <button
          type="button"
          title={note}
          aria-label={t('message.note-title', { note })}
          onClick={() => openDialog('note', node)}
          className="mx-1 flex shrink-0 items-center justify-center rounded text-warn first:ml-0 pointer-coarse:size-10"
        >
          <StickyNote size={14} aria-hidden />
        </button>
      )}
      {tags.map((tag) => (
        <Badge key={tag} title={t('message.tag-title', { tag })}>
          #{tag}
        </Badge>
      ))}
    </>
  );
}

/** When a message was written, how long it took, and what it cost: the one place for it. */
function Facts({ node }: { readonly node: Node }) {
  const take = mainTake(node);
  const { usage } = take ?? {};
  return (
    <p className="flex min-w-0 items-center gap-1 overflow-hidden px-1 text-xs whitespace-nowrap text-faint tabular-nums opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 group-data-selected:opacity-100 max-sm:hidden">
      <time dateTime={new Date(node.at).toISOString()} title={fullTime.format(node.at)}>
        {ago(node.at)}
      </time>
      {take?.durationMs !== undefined && <span>· {duration(take.durationMs)}</span>}
      {usage && (
        <span title={describeUsage(take!, usage)}>
          · {t('message.tokens', { number: shortNumber(totalTokens(usage)) })}
          {take!.cost !== undefined && ` · ${money(take!.cost)}`}
        </span>
      )}
    </p>
  );
}

const fullTime = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium', timeStyle: 'medium' });

type Take = NonNullable<ReturnType<typeof mainTake>>;

function describeUsage(take: Take, usage: NonNullable<Take['usage']>): string {
  return t(take.estimated ? 'message.usage-estimated' : 'message.usage', {
    sent: usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
    cached: usage.cacheRead,
    received: usage.output + usage.reasoning,
    reasoning: usage.reasoning,
  });
}

function Rating({ rating }: { readonly rating: number }) {
  const Icon = rating > 0 ? ThumbsUp : ThumbsDown;
  return (
    <Icon
      size={14}
      role="img"
      aria-label={rating > 0 ? t('message.rated-good') : t('message.rated-bad')}
      className={`mx-1 shrink-0 ${rating > 0 ? 'text-ok' : 'text-danger'}`}
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
