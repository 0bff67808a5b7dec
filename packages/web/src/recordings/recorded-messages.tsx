import { useEffect, useState } from 'react';
import type { Node } from '../api/types.ts';
import { Blocks } from '../blocks/blocks.tsx';
import { RoleIcon } from '../graph/role-icon.tsx';
import { ensurePath, pathTo, useNodes } from '../state/nodes.ts';
import { Failed, Loading } from '../ui/states.tsx';
import { t } from '../words/words.ts';

interface RecordedMessagesProps {
  readonly node: string;
  /** The last message of the request; what is above it is folded. */
  readonly from?: string;
}

/** A recorded call as it reads: the last message of the request and the answer, what was said before folded above them. */
export function RecordedMessages({ node, from }: RecordedMessagesProps) {
  const nodes = useNodes((state) => state.nodes);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    ensurePath(node).catch(setError);
  }, [node]);
  const path = pathTo(nodes, node);
  if (error !== undefined) return <Failed error={error} />;
  if (path.length === 0) return <Loading />;
  const cut = Math.max(0, from === undefined ? path.length - 1 : path.findIndex(({ id }) => id === from));
  return (
    <div className="flex flex-col gap-4 p-4">
      {cut > 0 && (
        <details>
          <summary className="text-xs text-soft">{t('recordings.earlier', { count: cut })}</summary>
          <div className="mt-3 flex flex-col gap-4">
            {path.slice(0, cut).map((one) => (
              <Message key={one.id} node={one} />
            ))}
          </div>
        </details>
      )}
      {path.slice(cut).map((one) => (
        <Message key={one.id} node={one} />
      ))}
    </div>
  );
}

function Message({ node: { id, role, content } }: { readonly node: Node }) {
  return (
    <article aria-label={role} className="flex gap-2">
      <span className="pt-1">
        <RoleIcon role={role} />
      </span>
      <div className="min-w-0 grow">
        <Blocks node={id} blocks={content} />
      </div>
    </article>
  );
}
