import { useEffect, useId, useMemo, useState } from 'react';
import { blocksOf, type Node } from '../api/types.ts';
import { ensureChildren, useNodes } from '../state/nodes.ts';
import { useWantedPreviews } from '../state/previews.ts';
import { shortId } from '../ui/format.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { ChangesView } from './changes-view.tsx';
import { comparableText } from './comparable-text.ts';
import { wordDiff } from './word-diff.ts';

/** What a message says differently from a sibling. */
export function DiffTab({ node }: { readonly node: Node }) {
  const siblings = useNodes((state) => state.children.get(node.parent));
  const nodes = useNodes((state) => state.nodes);
  const [error, setError] = useState<unknown>();
  const [chosen, setChosen] = useState<string>();
  useEffect(() => {
    ensureChildren(node.parent).catch(setError);
  }, [node.parent]);
  if (error !== undefined) return <Failed error={error} />;
  if (!siblings) return <Loading label="Loading the siblings" />;
  const others = siblings.filter((id) => id !== node.id);
  const other = nodes.get(chosen ?? compareWith(node, siblings) ?? '');
  if (!other)
    return (
      <Empty title="Nothing to compare with">
        This message has no sibling. Edit it as a branch, or let it be answered again.
      </Empty>
    );
  return (
    <div className="flex h-full flex-col">
      <Choice node={node} siblings={siblings} others={others} other={other.id} onChoose={setChosen} />
      <Difference node={node} other={other} />
    </div>
  );
}

/** What it was edited from, else the sibling before it, else the one behind it. */
function compareWith(node: Node, siblings: readonly string[]): string | undefined {
  const source = node.takes.map(({ from }) => from).find((from) => from !== undefined && siblings.includes(from));
  const index = siblings.indexOf(node.id);
  return source ?? siblings[index - 1] ?? siblings[index + 1];
}

interface ChoiceProps {
  readonly node: Node;
  readonly siblings: readonly string[];
  readonly others: readonly string[];
  readonly other: string;
  readonly onChoose: (id: string) => void;
}

function Choice({ node, siblings, others, other, onChoose }: ChoiceProps) {
  const id = useId();
  const previews = useWantedPreviews(others);
  const isEditedFrom = (sibling: string) => node.takes.some(({ from }) => from === sibling);
  return (
    <div className="flex shrink-0 items-center gap-2 border-b border-line px-3 py-1.5 text-xs">
      <label htmlFor={id} className="shrink-0 text-soft">
        From
      </label>
      <select
        id={id}
        value={other}
        onChange={(event) => onChoose(event.target.value)}
        className="h-7 min-w-0 grow rounded-md border border-line bg-surface px-1 text-ink"
      >
        {others.map((sibling) => {
          const { model, text = shortId(sibling) } = previews.get(sibling) ?? {};
          const words = [`${siblings.indexOf(sibling) + 1}/${siblings.length}`, model, text.slice(0, 60)];
          return (
            <option key={sibling} value={sibling}>
              {[...words, isEditedFrom(sibling) && 'edited from it'].filter(Boolean).join(' · ')}
            </option>
          );
        })}
      </select>
      <span className="shrink-0 text-soft">
        to this one, {siblings.indexOf(node.id) + 1}/{siblings.length}
      </span>
    </div>
  );
}

function Difference({ node, other }: { readonly node: Node; readonly other: Node }) {
  const changes = useMemo(
    () => wordDiff(comparableText(blocksOf(other)), comparableText(blocksOf(node))),
    [node, other],
  );
  const isSame = changes.every(({ kind }) => kind === 'same');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <section className="min-h-0 grow overflow-y-auto p-3" tabIndex={0} aria-label="Difference">
      {isSame && <p className="mb-2 text-xs text-soft">Both read the same; their stored bytes differ.</p>}
      <ChangesView changes={changes} />
    </section>
  );
}
