import { Code, Diff, GitCompare, Plus, RotateCw, TreePine } from 'lucide-react';
import { lazy, useEffect, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import type { Node } from '../api/types.ts';
import { Blocks, loadMarkdown } from '../blocks/blocks.tsx';
import { useCommandList } from '../commands/registry.ts';
import { RoleIcon } from '../graph/role-icon.tsx';
import { comparableText } from '../inspector/comparable-text.ts';
import { plainWords } from '../state/plain-words.ts';
import { useView } from '../state/view.ts';
import { Button, buttonLook } from '../ui/button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { Empty } from '../ui/states.tsx';
import { t, tx } from '../words/words.ts';
import { AskSeveral } from './ask-several.tsx';
import { ColumnGrid } from './column-grid.tsx';
import { type ColumnEntry, MOST_COLUMNS, readEntries, sharedLength, useColumns, writeEntries } from './columns.ts';
import { LeafMenu } from './leaf-menu.tsx';

const RerunScreen = lazy(() => import('./rerun-screen.tsx'));

/** Branches side by side; with `again` in the address, conversations that other models answer again. */
export default function CompareScreen() {
  const [params] = useSearchParams();
  useEffect(() => void loadMarkdown(), []);
  return params.has('again') ? <RerunScreen /> : <BranchColumns />;
}

/** Up to four branches side by side. */
function BranchColumns() {
  const [, go] = useLocation();
  const [params] = useSearchParams();
  const marked = useView((view) => view.marked);
  const asked = params.get('nodes');
  const entries = readEntries(asked ?? marked.join());
  const [showsDifferences, setShowsDifferences] = useState(true);
  const [showsSource, setShowsSource] = useState(false);
  const columns = useColumns(entries);
  const show = (next: readonly ColumnEntry[], replace = false) =>
    go(`/compare?nodes=${writeEntries(next)}`, { replace });
  useCommandList([
    {
      id: 'compare.differences',
      title: t('compare.command-differences'),
      group: 'view',
      keys: ['d'],
      run: () => setShowsDifferences(!showsDifferences),
    },
    {
      id: 'compare.source',
      title: t('compare.command-source'),
      group: 'view',
      keys: ['r'],
      words: t('compare.command-source-words'),
      run: () => setShowsSource(!showsSource),
    },
  ]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the screen is opened without saying what to show
  useEffect(() => {
    if (asked === null && entries.length > 0) show(entries, true);
  }, [asked]);

  // A generation that ended is shown by its node, so that the address stays valid.
  const ended = columns.map(({ entry, live, path }) => {
    const isOver = entry.kind === 'generation' && live !== undefined && live.status === 'done';
    return isOver && path.at(-1)?.id === live.head ? live.head : undefined;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when one more has ended
  useEffect(() => {
    if (ended.some((id) => id !== undefined))
      show(
        entries.map((entry, index) => (ended[index] === undefined ? entry : { kind: 'node', id: ended[index] })),
        true,
      );
  }, [ended.join()]);

  const paths = columns.map(({ path }) => path).filter((path) => path.length > 0);
  const isThere = columns.every(({ path, error }) => path.length > 0 || error !== undefined);
  const length = isThere || paths.length > 1 ? sharedLength(paths) : 0;
  const ends = paths.flatMap((path) => path.at(-1)?.id ?? []);
  const shared = paths[0]?.slice(0, length) ?? [];

  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2.5">
        <h1 className="mr-auto text-xl font-semibold tracking-tight">{t('compare.title')}</h1>
        {columns.length > 1 && (
          <>
            {showsDifferences && !showsSource && <Legend />}
            <Toggle isOn={showsDifferences} onToggle={setShowsDifferences}>
              <Diff size={14} aria-hidden /> {t('compare.differences')}
            </Toggle>
          </>
        )}
        {columns.length > 0 && (
          <Toggle isOn={showsSource} onToggle={setShowsSource}>
            <Code size={14} aria-hidden /> {t('compare.source')}
          </Toggle>
        )}
        {columns.length > 0 && columns.length < MOST_COLUMNS && (
          <LeafMenu
            top={paths[0]?.[0]?.id}
            taken={ends}
            onPick={(id) => show([...entries, { kind: 'node', id }])}
            trigger={
              <Button small>
                <Plus size={14} aria-hidden /> <span className="max-sm:sr-only">{t('compare.add')}</span>
              </Button>
            }
          />
        )}
      </div>
      <div className="min-h-0 grow overflow-auto">
        {columns.length === 0 ? (
          <Empty title={t('compare.empty')} icon={<GitCompare size={20} />}>
            <p>{tx('compare.empty-mark', { mark: <Kbd>m</Kbd>, compare: <Kbd>c</Kbd> })}</p>
            <p>{t('compare.empty-ask')}</p>
            <p className="mt-4 flex flex-wrap justify-center gap-2">
              <Link href="/" className={buttonLook('plain')}>
                <TreePine size={14} aria-hidden /> {t('screen.forest')}
              </Link>
              <Link href="/compare?again" className={buttonLook('plain')}>
                <RotateCw size={14} aria-hidden /> {t('rerun.link')}
              </Link>
            </p>
          </Empty>
        ) : (
          <>
            {paths.length > 0 && <SharedPart path={shared} />}
            <ColumnGrid
              columns={columns}
              shared={length}
              showsDifferences={showsDifferences}
              showsSource={showsSource}
              onChange={(index, id) => show(entries.with(index, { kind: 'node', id }))}
              onRemove={(index) => show(entries.toSpliced(index, 1))}
            />
          </>
        )}
      </div>
      <AskSeveral
        shared={shared}
        onAsked={(made, isNew) => show(isNew ? made : [...entries, ...made].slice(-MOST_COLUMNS))}
      />
    </div>
  );
}

interface ToggleProps {
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
  readonly children: React.ReactNode;
}

function Toggle({ isOn, onToggle, children }: ToggleProps) {
  return (
    <Button
      small
      aria-pressed={isOn}
      className="aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
      onClick={() => onToggle(!isOn)}
    >
      {children}
    </Button>
  );
}

/** What the marks mean. */
function Legend() {
  return (
    <p className="flex gap-3 text-xs text-soft max-lg:hidden">
      <span className="bg-ok-soft px-1 underline decoration-ok decoration-2 underline-offset-2">
        {t('compare.legend-added')}
      </span>
      <span className="bg-danger-soft px-1 underline decoration-danger decoration-dotted decoration-2 underline-offset-2">
        {t('compare.legend-missing')}
      </span>
    </p>
  );
}

/** The messages that all columns have in common, shown once. */
function SharedPart({ path }: { readonly path: readonly Node[] }) {
  const last = path.at(-1);
  if (!last)
    return <p className="border-b border-line px-4 py-2 text-xs text-soft">{t('compare.nothing-in-common')}</p>;
  return (
    <details className="group border-b border-line bg-page">
      <summary className="flex items-center gap-2 px-4 py-2 text-xs text-soft hover:bg-hover">
        <RoleIcon role={last.role} />
        <span className="shrink-0 font-medium text-ink">{t('compare.in-common', { count: path.length })}</span>
        <span className="min-w-0 truncate group-open:hidden">
          {plainWords(comparableText(last.content).slice(0, 300))}
        </span>
      </summary>
      <ol className="flex flex-col gap-3 px-4 pb-3">
        {path.map((node) => (
          <li key={node.id} className="flex gap-2">
            <span className="pt-0.5">
              <RoleIcon role={node.role} />
            </span>
            <span className="sr-only">{node.role}: </span>
            <div className="max-w-3xl min-w-0">
              <Blocks node={node.id} blocks={node.content} />
            </div>
          </li>
        ))}
      </ol>
    </details>
  );
}
