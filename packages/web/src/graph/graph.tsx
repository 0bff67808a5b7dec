import { useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { Topology } from '../api/structure.ts';
import { MOST_NODES } from '../api/topology.ts';
import { useCommandList } from '../commands/registry.ts';
import { usePlace } from '../state/place.ts';
import { usePreviews, wantPreviews } from '../state/previews.ts';
import type { Scene } from './draw.ts';
import { foldRuns } from './fold.ts';
import { GraphBar } from './graph-bar.tsx';
import { GraphCanvas } from './graph-canvas.tsx';
import { type Kind, kindOf } from './kinds.ts';
import { layOut, type Placed } from './layout.ts';
import { describe, looksOf, wordsOf } from './looks.ts';
import { NodePane } from './node-pane.tsx';
import { usePalette } from './palette.ts';
import { growTree, upFrom } from './tree.ts';
import { useFound } from './use-found.ts';

/** Draws a structure, and what the reader does with it. */
export function Graph({ topology, below }: { readonly topology: Topology; readonly below?: string }) {
  const [, go] = useLocation();
  const leaf = usePlace((place) => place.lastLeaf);
  const palette = usePalette();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [hidden, setHidden] = useState<ReadonlySet<Kind>>(new Set());
  const [search, setSearch] = useState('');
  const [focused, setFocused] = useState<string | undefined>(below ?? leaf);
  const found = useFound(search, below);

  const tree = useMemo(() => growTree(topology.items), [topology.items]);
  const path = useMemo(() => new Set(upFrom(tree, leaf ?? '')), [tree, leaf]);
  const layout = useMemo(
    () => layOut(foldRuns(tree, (id) => id === leaf || open.has(id) || found.ids.has(id))),
    [tree, leaf, open, found.ids],
  );
  const looks = useMemo(
    () => looksOf(tree, layout.placed, path, hidden, found.ids),
    [tree, layout, path, hidden, found.ids],
  );
  const scene: Scene = { layout, looks, palette, focused, words: (placed) => wordsOf(tree, placed) };
  const current = focused === undefined ? undefined : layout.of.get(focused);
  const preview = usePreviews((state) => state.of.get(focused ?? ''));
  useEffect(() => {
    if (focused !== undefined && tree.nodes.has(focused)) wantPreviews([focused]);
  }, [focused, tree]);

  const unfold = ({ fold }: Placed) => setOpen((before) => new Set([...before, ...fold.ids]));
  const openNode = ({ fold }: Placed) => go(`/c/${fold.id}`);
  const hoist = (id: string) => go(`/graph/${id}`);
  useCommandList([
    { id: 'graph-all', title: 'Graph of the whole forest', group: 'View', run: () => go('/graph') },
    { id: 'graph-fold', title: 'Fold all runs of the graph', group: 'View', run: () => setOpen(new Set()) },
    ...(current
      ? [
          {
            id: 'graph-hoist',
            title: 'Show only what is below this message',
            group: 'View' as const,
            keys: ['H'],
            run: () => hoist(current.fold.id),
          },
        ]
      : []),
  ]);

  return (
    <div className="flex h-full flex-col">
      <GraphBar
        below={below}
        count={topology.items.length}
        kinds={useMemo(() => new Set(topology.items.map(kindOf)), [topology.items])}
        hidden={hidden}
        onHidden={setHidden}
        search={search}
        onSearch={setSearch}
        found={found}
        focused={focused}
        onFound={(id) => setFocused(id)}
        canFold={open.size > 0}
        onFold={() => setOpen(new Set())}
      />
      {topology.isCut && (
        <p className="border-b border-line bg-warn-soft px-3 py-1 text-xs text-warn">
          Only the first {MOST_NODES.toLocaleString('en')} messages are drawn. Choose one conversation, or hoist a
          message.
        </p>
      )}
      <div className="relative min-h-0 grow">
        <GraphCanvas
          scene={scene}
          description={current ? describe(tree, current, preview?.text) : ''}
          onFocus={setFocused}
          onOpen={openNode}
          onUnfold={unfold}
        />
        {current && (
          <NodePane
            placed={current}
            node={tree.nodes.get(current.fold.id)!}
            isTop={current.fold.id === below}
            onHoist={() => hoist(current.fold.id)}
            onUnfold={() => unfold(current)}
            onClose={() => setFocused(undefined)}
          />
        )}
      </div>
    </div>
  );
}
