import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';
import type { Agent } from '../api/types.ts';
import { Asked } from './asked.tsx';

/** Who has a name, a model, tools and a system text of its own. */
export function AgentSection() {
  const query = useQuery(queries.agents());
  return (
    <Asked query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="rounded-lg border border-line p-3 text-soft">
            There are none. An agent is a YAML file with a model, tools and a system text, in the folder{' '}
            <code className="font-mono">agents</code> beside the configuration.
          </p>
        ) : (
          <ul className="flex flex-col gap-2">
            {items.map((agent) => (
              <Card key={agent.id} agent={agent} />
            ))}
          </ul>
        )
      }
    </Asked>
  );
}

function Card({ agent: { name, description, model, tools, system } }: { readonly agent: Agent }) {
  return (
    <li className="rounded-lg border border-line bg-surface p-3">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h3 className="font-medium">{name}</h3>
        <span className="text-xs text-faint">{model}</span>
      </div>
      {description && <p className="text-soft">{description}</p>}
      {tools.length > 0 && (
        <p className="mt-1 text-xs text-soft">
          Tools: <span className="font-mono">{tools.join(', ')}</span>
        </p>
      )}
      {system && (
        <details className="mt-1 text-sm">
          <summary className="text-xs text-soft">System text</summary>
          <pre className="mt-1 max-h-64 overflow-y-auto rounded-md bg-sunken p-2 font-sans text-sm whitespace-pre-wrap">
            {system}
          </pre>
        </details>
      )}
    </li>
  );
}
