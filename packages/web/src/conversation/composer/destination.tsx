import { useQuery } from '@tanstack/react-query';
import { GitBranch, Unplug } from 'lucide-react';
import { useEffect, useState } from 'react';
import { queries } from '../../api/queries.ts';
import type { Node } from '../../api/types.ts';
import { summarizeBlocks } from '../../blocks/summary.ts';
import { useCurrentThread } from '../../state/current-thread.ts';
import { useModel } from '../../state/model.ts';
import { goTo } from '../../state/place.ts';
import { toRequestOptions, useView } from '../../state/view.ts';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { t } from '../../words/words.ts';
import { mainTake } from '../message/author.ts';
import { describeLosses, LossList } from '../message/request-notes.tsx';
import { groupSiblings } from '../siblings.ts';
import { useChildren } from '../use-siblings.ts';

interface DestinationProps {
  readonly parent: Node;
  readonly isLeaf: boolean;
  readonly path: readonly Node[];
}

/** A line above the composer: where the message goes, its siblings, and what a change of provider loses. */
export function Destination({ parent, isLeaf, path }: DestinationProps) {
  const children = useChildren(parent.id);
  const known = children.length > 0 ? children : path.filter((node) => node.parent === parent.id);
  return (
    <div className="flex h-8 items-center gap-2 overflow-hidden text-xs pointer-coarse:h-11">
      {!isLeaf && (
        <>
          <span className="flex shrink-0 items-center gap-1 text-warn">
            <GitBranch size={14} aria-hidden /> {t('composer.branches-from-here')}
          </span>
          <ul
            aria-label={t('composer.branches-label')}
            className="flex min-w-0 gap-1 overflow-x-auto [scrollbar-width:none]"
          >
            {groupSiblings(known).map(({ nodes: [first] }) => (
              <li key={first!.id} className="shrink-0">
                <button
                  type="button"
                  onClick={() => goTo(first!.id)}
                  className="max-w-56 truncate rounded-full border border-line bg-surface px-2 py-0.5 pointer-coarse:min-h-10 pointer-coarse:min-w-10 text-soft hover:bg-hover hover:text-ink"
                >
                  {summarizeBlocks(first!.content, 60) || first!.role}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <span className="grow" />
      <LossPreview parent={parent} path={path} />
    </div>
  );
}

const PAUSE_MS = 400;

/** What the chosen provider could not receive, if it is not the one of the last answer. */
function LossPreview({ parent, path }: Pick<DestinationProps, 'parent' | 'path'>) {
  const model = useModel();
  const view = useView();
  const thread = useCurrentThread()?.id;
  const provider = model?.split('/')[0];
  const before = path.slice(0, path.indexOf(parent) + 1).findLast(({ role }) => role === 'assistant');
  const last = before && mainTake(before)?.provider;
  const isOther = provider !== undefined && last !== undefined && provider !== last;
  const wish = useAfterPause(
    JSON.stringify({ ...toRequestOptions(view, thread), ...(model !== undefined && { model }) }),
  );
  const settled = useAfterPause(parent.id);
  const { data } = useQuery({
    ...queries.nextRequest(parent.id, JSON.parse(wish)),
    enabled: isOther && settled === parent.id,
  });
  if (!isOther || !data || data.losses.length === 0) return null;
  return (
    <Popover
      side="top"
      label={t('composer.losses-label')}
      trigger={
        <Button small look="quiet" className="min-w-0 shrink! text-warn">
          <Unplug size={14} aria-hidden className="shrink-0" />
          <span className="truncate">{describeLosses('message.losses-ahead', data.losses, provider)}</span>
        </Button>
      }
    >
      <LossList losses={data.losses} />
    </Popover>
  );
}

/** A value after it has not changed for a moment. */
function useAfterPause(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
