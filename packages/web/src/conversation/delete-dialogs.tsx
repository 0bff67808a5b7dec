import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { blocksOf, type Node, ROOT } from '../api/types.ts';
import { inWords } from '../blocks/in-words.ts';
import { pathTo, useNodes } from '../state/nodes.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { stopAsking } from './desk.ts';
import { bookmarkBelow } from './marking.ts';
import { otherBranches, removeBranch, removeOthers } from './removing.ts';

export function DeleteDialog({ node }: { readonly node: Node }) {
  const { data: bookmark, isPending } = useQuery({
    queryKey: ['bookmarks', 'below', node.id],
    queryFn: () => bookmarkBelow(node.id),
  });
  if (bookmark)
    return (
      <Sure title="Delete this branch?" action="Delete" isDisabled onSure={stopAsking}>
        <p>
          It cannot be deleted: the bookmark “{bookmark.title}” is at this message or below it. Take the bookmark away
          first.
        </p>
      </Sure>
    );
  return (
    <Sure title="Delete this branch?" action="Delete" isDisabled={isPending} onSure={() => void removeBranch(node)}>
      <p>
        {node.parent === ROOT
          ? 'This is the first message, so the conversation goes with everything in it.'
          : 'This message goes, and everything below it.'}{' '}
        You can undo it.
      </p>
      <blockquote className="mt-2 border-l-2 border-line-strong pl-3 text-soft">{inWords(blocksOf(node))}</blockquote>
    </Sure>
  );
}

export function DeleteOthersDialog({ leaf }: { readonly leaf: string }) {
  const [count, setCount] = useState<number>();
  const path = pathTo(useNodes.getState().nodes, leaf);
  // biome-ignore lint/correctness/useExhaustiveDependencies: counted once, for the path that was asked about
  useEffect(() => {
    otherBranches(path).then(
      (found) => setCount(found.length),
      () => setCount(0),
    );
  }, []);
  return (
    <Sure title="Delete all but this path?" action="Delete" isDisabled={!count} onSure={() => void removeOthers(path)}>
      <p>
        {count === undefined
          ? 'Counting the branches …'
          : count === 0
            ? 'No branch leaves this path.'
            : `${count === 1 ? 'One branch leaves' : `${count} branches leave`} this path and would go, with everything below. You can undo it.`}
      </p>
    </Sure>
  );
}

interface SureProps {
  readonly title: string;
  readonly action: string;
  readonly onSure: () => void;
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
}

function Sure({ title, action, onSure, isDisabled = false, children }: SureProps) {
  const sure = () => {
    stopAsking();
    onSure();
  };
  return (
    <Dialog
      open
      onClose={stopAsking}
      title={title}
      action={
        <Button look="danger" disabled={isDisabled} onClick={sure} autoFocus>
          {action}
        </Button>
      }
    >
      {children}
    </Dialog>
  );
}
