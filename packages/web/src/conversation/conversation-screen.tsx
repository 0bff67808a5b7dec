import { useEffect, useState } from 'react';
import { pathTo, useNodes } from '../state/nodes.ts';
import { openNode } from '../state/place.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';

/** One thread, from its first message to a leaf. Without a node: a new one. */
export function ConversationScreen({ node }: { readonly node?: string }) {
  const [opened, setOpened] = useState<{ readonly node: string; readonly leaf: string }>();
  const [error, setError] = useState<unknown>();
  const nodes = useNodes((state) => state.nodes);
  useEffect(() => {
    if (node !== undefined) openNode(node).then(setOpened, setError);
  }, [node]);
  if (node === undefined) return <Empty title="New conversation" />;
  if (error !== undefined) return <Failed error={error} />;
  if (!opened) return <Loading />;
  return (
    <ol>
      {pathTo(nodes, opened.leaf).map(({ id, role }) => (
        <li key={id}>{role}</li>
      ))}
    </ol>
  );
}
