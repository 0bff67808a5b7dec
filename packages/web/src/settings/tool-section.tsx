import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';
import { Asked } from './asked.tsx';

export function ToolSection() {
  const query = useQuery(queries.tools());
  return (
    <Asked query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="rounded-lg border border-line p-3 text-soft">There are none.</p>
        ) : (
          <dl className="rounded-lg border border-line bg-surface">
            {items.map(({ name, description }) => (
              <div key={name} className="border-b border-line px-3 py-2 last:border-0">
                <dt className="font-mono text-sm">{name}</dt>
                <dd className="text-soft">{description}</dd>
              </div>
            ))}
          </dl>
        )
      }
    </Asked>
  );
}
