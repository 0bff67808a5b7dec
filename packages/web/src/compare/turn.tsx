import { Equal, Loader } from 'lucide-react';
import { useMemo } from 'react';
import { blocksOf, type Node } from '../api/types.ts';
import { Blocks } from '../blocks/blocks.tsx';
import { RoleIcon } from '../graph/role-icon.tsx';
import { ChangesView } from '../inspector/changes-view.tsx';
import { comparableText } from '../inspector/comparable-text.ts';
import { wordDiff } from '../inspector/word-diff.ts';
import type { LiveBranch } from '../state/live-generation.ts';

export interface TurnProps {
  readonly node: Node;
  /** As plain text, so that it reads like what it is compared with. */
  readonly asText: boolean;
  /** The text of the same turn in the first column. */
  readonly against?: string;
}

/** One message of a column. */
export function Turn({ node, asText, against }: TurnProps) {
  const text = useMemo(() => comparableText(blocksOf(node)), [node]);
  return (
    <article className="min-w-0 px-4 py-3" aria-label={node.role}>
      <p className="mb-1 flex items-center gap-1.5 text-xs text-soft">
        <RoleIcon role={node.role} /> {node.role}
        {against === text && (
          <span className="flex items-center gap-1 text-faint">
            <Equal size={12} aria-hidden /> as in the first
          </span>
        )}
      </p>
      {against !== undefined ? (
        <Compared before={against} after={text} />
      ) : asText ? (
        <div className="text-sm break-words whitespace-pre-wrap">{text}</div>
      ) : (
        <Blocks node={node.id} blocks={blocksOf(node)} />
      )}
    </article>
  );
}

function Compared({ before, after }: { readonly before: string; readonly after: string }) {
  const changes = useMemo(() => wordDiff(before, after), [before, after]);
  return <ChangesView changes={changes} />;
}

/** The message that is being written, or why it was not. */
export function LiveTurn({ live }: { readonly live: LiveBranch }) {
  if (live.status === 'done') return null;
  return (
    <article className="min-w-0 px-4 py-3" aria-label="assistant">
      <p role="status" className="mb-1 flex items-center gap-1.5 text-xs text-soft">
        {live.status === 'running' ? (
          <>
            <Loader size={14} aria-hidden className="animate-spin text-assistant" /> {live.retry ?? 'writing'}
          </>
        ) : (
          STATES[live.status]
        )}
      </p>
      <Blocks node="live" blocks={live.blocks} isLive />
      {live.error && <p className="text-sm text-danger">{live.error.message}</p>}
    </article>
  );
}

const STATES: Readonly<Record<Exclude<LiveBranch['status'], 'running' | 'done'>, string>> = {
  waiting: 'A tool call waits for approval: open the branch.',
  failed: 'It could not be answered',
  aborted: 'It was stopped',
};
