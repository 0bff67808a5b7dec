import { ChevronDown, ChevronUp, Search, X } from 'lucide-react';
import { type RefObject, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { Block, Node } from '../api/types.ts';
import { useFolds } from '../blocks/folds.ts';
import { goTo } from '../state/place.ts';
import { IconButton } from '../ui/button.tsx';
import { t } from '../words/words.ts';
import { useScreenState } from './screen-state.ts';

interface FindBarProps {
  readonly path: readonly Node[];
  readonly scroller: RefObject<HTMLElement | null>;
}

/** The field to find words in the conversation on screen, also in messages that are not drawn. */
export function FindBar(props: FindBarProps) {
  const isFinding = useScreenState((state) => state.isFinding);
  return isFinding ? <OpenFindBar {...props} /> : null;
}

function OpenFindBar({ path, scroller }: FindBarProps) {
  const [written, setWritten] = useState('');
  const words = useDeferredValue(written.trim().toLowerCase());
  /** Which place is shown, for the words that were found there: other words begin at the first place again. */
  const [moved, setMoved] = useState({ words: '', at: 0 });
  const at = moved.words === words ? moved.at : 0;
  const field = useRef<HTMLInputElement>(null);
  const found = useMemo(() => findPlaces(path, words), [path, words]);
  const place = found[at % Math.max(1, found.length)];
  useHighlights(scroller, words, place);
  useEffect(() => {
    field.current?.focus();
    return () => useScreenState.setState({ isFinding: false });
  }, []);
  useEffect(() => {
    if (place) goTo(place.node, { replace: true });
  }, [place]);
  const close = () => useScreenState.setState({ isFinding: false });
  const step = (by: number) => found.length > 0 && setMoved({ words, at: (at + by + found.length) % found.length });
  return (
    <search className="absolute top-2 right-4 z-20 flex max-sm:inset-x-2 items-center gap-1 rounded-xl border border-line bg-raised py-1 pr-1 pl-3 shadow-lg">
      <Search size={14} aria-hidden className="text-faint" />
      <input
        ref={field}
        aria-label={t('find.label')}
        placeholder={t('find.placeholder')}
        value={written}
        onChange={(event) => setWritten(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== 'Escape') return;
          event.preventDefault();
          if (event.key === 'Escape') close();
          else step(event.shiftKey ? -1 : 1);
        }}
        className="h-7 w-44 min-w-0 bg-transparent max-sm:grow px-1 text-sm outline-none placeholder:text-faint"
      />
      <span role="status" className="min-w-12 text-right text-xs text-faint tabular-nums">
        {words === '' ? '' : found.length === 0 ? t('find.nothing') : `${(at % found.length) + 1}/${found.length}`}
      </span>
      <IconButton label={t('find.previous')} keys="Shift+Enter" disabled={found.length < 2} onClick={() => step(-1)}>
        <ChevronUp size={14} />
      </IconButton>
      <IconButton label={t('find.next')} keys="Enter" disabled={found.length < 2} onClick={() => step(1)}>
        <ChevronDown size={14} />
      </IconButton>
      <IconButton label={t('find.close')} keys="Escape" onClick={close}>
        <X size={14} />
      </IconButton>
    </search>
  );
}

/** The so-manieth match in a message. */
interface FoundPlace {
  readonly node: string;
  readonly nth: number;
}

const MOST_FOUND = 1000;

function findPlaces(path: readonly Pick<Node, 'id' | 'content'>[], words: string): readonly FoundPlace[] {
  const found: FoundPlace[] = [];
  if (words === '') return found;
  for (const { id, content } of path) {
    const text = content.map(wordsOf).join('\n').toLowerCase();
    for (let from = text.indexOf(words), nth = 0; from >= 0; from = text.indexOf(words, from + words.length), nth++) {
      found.push({ node: id, nth });
      if (found.length === MOST_FOUND) return found;
    }
  }
  return found;
}

function wordsOf(block: Block): string {
  switch (block.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
      return block.text;
    case 'tool-use':
      return `${block.name} ${block.rawParameters}`;
    case 'tool-result':
      return block.content.map(wordsOf).join('\n');
    default:
      return '';
  }
}

/** Marks the matches in what is drawn, and scrolls to the current one. */
function useHighlights(scroller: RefObject<HTMLElement | null>, words: string, place: FoundPlace | undefined): void {
  const folds = useFolds((state) => state.open);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is unfolded can be marked, too
  useEffect(() => {
    const box = scroller.current;
    if (!box || words === '' || !('highlights' in CSS)) return;
    let isNew = true;
    const mark = () => {
      const all = listRanges(box, words);
      const row = place && box.querySelector(`[data-node="${place.node}"]`);
      const own = row ? all.filter((range) => row.contains(range.startContainer)) : [];
      const current = own[Math.min(place?.nth ?? 0, own.length - 1)];
      CSS.highlights.set('found', new Highlight(...all));
      CSS.highlights.set('found-here', new Highlight(...(current ? [current] : [])));
      if (!current || !isNew) return;
      isNew = false;
      const { top, bottom } = current.getBoundingClientRect();
      const { top: above, bottom: below } = box.getBoundingClientRect();
      if (top < above + 60 || bottom > below - 20) box.scrollBy({ top: top - above - box.clientHeight / 3 });
    };
    let frame = requestAnimationFrame(mark);
    const again = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(mark);
    };
    const observer = new MutationObserver(again);
    observer.observe(box, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete('found');
      CSS.highlights.delete('found-here');
    };
  }, [scroller, words, place, folds]);
}

function listRanges(box: HTMLElement, words: string): readonly Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent?.toLowerCase() ?? '';
    for (let from = text.indexOf(words); from >= 0; from = text.indexOf(words, from + words.length)) {
      const range = new Range();
      range.setStart(node, from);
      range.setEnd(node, from + words.length);
      ranges.push(range);
    }
  }
  return ranges;
}
