import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';
import type { Node } from '../api/types.ts';
import { Failed, Loading } from '../ui/states.tsx';
import { TextView } from './text-view.tsx';

/** The exact stored text of a message. */
export function RawTab({ node }: { readonly node: Node }) {
  const raw = useQuery(queries.raw(node.id));
  if (raw.error) return <Failed error={raw.error} onRetry={() => void raw.refetch()} />;
  if (raw.data === undefined) return <Loading label="Loading the stored text" />;
  return <TextView text={raw.data} label="Stored text" facts={<span>{node.dialect}</span>} />;
}
