import { memo, type ReactNode, useMemo, useState } from 'react';
import { indentJson, type JsonPiece, jsonPieces, looksLikeJson } from '../blocks/json-text.ts';
import { useView } from '../state/view.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { bytes } from '../ui/format.ts';
import { t } from '../words/words.ts';
import { JsonLines } from './json-lines.tsx';

/** The number of characters that are drawn at first; a text may be megabytes long. */
const CHUNK = 60_000;

/** Server-sent events, as streamed answers are. */
function isEventStream(text: string): boolean {
  return /^(?:event|data|id|retry|:)[^\n]*\r?\n/.test(text) && /^data: ?[{[]/m.test(text);
}

/** The data of each event with one line per value. */
function indentEvents(text: string): string {
  return text.replace(/^data: ?([{[].*?)\r?$/gm, (_line, data: string) => `data: ${indentJson(data)}`);
}

export interface TextViewProps {
  readonly text: string;
  /** The label for screen readers. */
  readonly label: string;
  /** Facts that stand before the buttons. */
  readonly facts?: ReactNode;
  readonly actions?: ReactNode;
}

/** An exact text, shown as stored or, for JSON, with one line per value. */
export function TextView({ text, label, facts, actions }: TextViewProps) {
  const isPretty = useView((view) => view.pretty);
  const isStream = useMemo(() => isEventStream(text), [text]);
  const canBePretty = useMemo(() => isStream || looksLikeJson(text), [text, isStream]);
  const shownPretty = isPretty && canBePretty;
  const shown = useMemo(() => {
    if (!shownPretty) return text;
    return isStream ? indentEvents(text) : indentJson(text);
  }, [text, shownPretty, isStream]);
  const size = useMemo(() => new TextEncoder().encode(text).length, [text]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1.5 text-xs text-soft">
        {facts}
        <span title={t('inspector.bytes', { count: size })}>{bytes(size)}</span>
        <div className="ml-auto flex items-center">
          {canBePretty && (
            // biome-ignore lint/a11y/useSemanticElements: two buttons in a bar, not a part of a form
            <div role="group" aria-label={t('text.view')} className="mr-1 flex rounded-md border border-line p-0.5">
              {[true, false].map((pretty) => (
                <button
                  key={String(pretty)}
                  type="button"
                  aria-pressed={isPretty === pretty}
                  onClick={() => useView.setState({ pretty })}
                  className="h-6 rounded px-2 pointer-coarse:h-10 text-soft hover:text-ink aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-accent"
                >
                  {t(pretty ? 'text.pretty' : 'text.exact')}
                </button>
              ))}
            </div>
          )}
          {actions}
          <CopyButton label={t('inspector.copy', { label: label.toLowerCase() })} text={text} />
        </div>
      </div>
      {shownPretty ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
        <section className="min-h-0 grow overflow-auto p-3" tabIndex={0} aria-label={label}>
          <JsonLines key={shown.length} text={shown}>
            {(line) => <Tinted text={line} isJson />}
          </JsonLines>
        </section>
      ) : (
        <LongText text={shown} label={label} isJson={canBePretty && !isStream} />
      )}
    </div>
  );
}

function LongText({
  text,
  label,
  isJson,
}: {
  readonly text: string;
  readonly label: string;
  readonly isJson: boolean;
}) {
  const [chunks, setChunks] = useState(1);
  const parts = useMemo(() => cut(text, chunks), [text, chunks]);
  const rest = text.length - parts.reduce((sum, part) => sum + part.length, 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <section className="min-h-0 grow overflow-auto p-3" tabIndex={0} aria-label={label}>
      <pre className="font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap">
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts only grow at the end
          <Tinted key={index} text={part} isJson={isJson} />
        ))}
      </pre>
      {rest > 0 && (
        <div className="flex items-center gap-2 py-2 text-xs text-soft">
          <Button small onClick={() => setChunks(chunks * 2)}>
            {t('inspector.text-more')}
          </Button>
          {t('inspector.text-rest', { rest })}
        </div>
      )}
    </section>
  );
}

function cut(text: string, chunks: number): readonly string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length && parts.length < chunks; ) {
    const line = text.indexOf('\n', start + CHUNK);
    const most = start + 2 * CHUNK;
    const end = text.length <= most ? text.length : line >= 0 && line < most ? line + 1 : wholeAt(text, start + CHUNK);
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts;
}

/** Avoids a cut between the halves of a surrogate pair. */
function wholeAt(text: string, end: number): number {
  return /[\ud800-\udbff]/.test(text[end - 1] ?? '') ? end + 1 : end;
}

const TINTS: Readonly<Partial<Record<JsonPiece['kind'], string>>> = {
  key: 'text-accent',
  number: 'text-google',
  word: 'text-provider',
  mark: 'text-faint',
};

const Tinted = memo(function Tinted({ text, isJson }: { readonly text: string; readonly isJson: boolean }) {
  if (!isJson) return text;
  return [...jsonPieces(text)].map(({ kind, text: piece }, index) =>
    TINTS[kind] === undefined ? (
      piece
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the text of a part never changes
      <span key={index} className={TINTS[kind]}>
        {piece}
      </span>
    ),
  );
});
