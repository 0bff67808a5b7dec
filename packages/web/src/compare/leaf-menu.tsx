import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { queries } from '../api/queries.ts';
import { comparableText } from '../inspector/comparable-text.ts';
import { shortId } from '../ui/format.ts';
import { Menu } from '../ui/menu.tsx';
import { t } from '../words/words.ts';

interface LeafMenuProps {
  /** The first message of the tree. */
  readonly top: string | undefined;
  readonly taken: readonly string[];
  readonly onPick: (id: string) => void;
  readonly trigger: ReactElement;
}

const LENGTH = 48;

/** A menu of the leaves of a tree, the newest first. */
export function LeafMenu({ top, taken, onPick, trigger }: LeafMenuProps) {
  const leaves = useQuery({ ...queries.leaves(top ?? ''), enabled: top !== undefined });
  const items = (leaves.data?.items ?? [])
    .filter(({ id }) => !taken.includes(id))
    .toSorted((a, b) => b.at - a.at)
    .map((node) => {
      const model = node.takes.findLast((take) => take.model !== undefined)?.model ?? node.role;
      const text = comparableText(node.content).replace(/\s+/g, ' ');
      const words = text.length > LENGTH ? `${text.slice(0, LENGTH)}…` : text;
      return { title: `${shortId(node.id)} · ${model} · ${words}`, run: () => onPick(node.id) };
    });
  const none = { title: t('compare.no-other-branch'), disabled: true, run: () => undefined };
  return <Menu trigger={trigger} items={items.length > 0 ? items : [none]} />;
}
