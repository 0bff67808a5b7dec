import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleDashed } from 'lucide-react';
import { DEMO_VARIABLES } from '../api/key-variables.ts';
import { queries } from '../api/queries.ts';
import type { Provider } from '../api/types.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Asked } from './asked.tsx';

/** Who can be asked: whether there is a key, which variable holds it, and the address for clients. */
export function ProviderSection() {
  const query = useQuery(queries.providers());
  const { data: version } = useQuery(queries.version());
  return (
    <Asked query={query}>
      {({ items }) => {
        const sorted = [...items].sort((a, b) => Number(b.hasKey) - Number(a.hasKey));
        return (
          <>
            {version?.demo && (
              <p className="mb-3 rounded-lg border border-warn bg-warn-soft p-3 text-warn">
                Demo mode: no provider has a key of its own, so a stand-in answers for those that say so. Set one of the
                variables below where Skein is started, for example <code className="font-mono">ANTHROPIC_API_KEY</code>
                , and start it again.
              </p>
            )}
            <ul className="rounded-lg border border-line bg-surface">
              {sorted.map((provider) => (
                <Row key={provider.id} provider={provider} isDemo={version?.demo === true} />
              ))}
            </ul>
          </>
        );
      }}
    </Asked>
  );
}

function Row({ provider, isDemo }: { readonly provider: Provider; readonly isDemo: boolean }) {
  const { id, dialect, hasKey, keyVariables, proxy } = provider;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-2 last:border-0">
      {hasKey ? (
        <CircleCheck size={16} aria-hidden className="shrink-0 text-ok" />
      ) : (
        <CircleDashed size={16} aria-hidden className="shrink-0 text-faint" />
      )}
      <div className="w-40 min-w-0">
        <p className="truncate font-medium">{id}</p>
        <p className="truncate text-xs text-faint">{dialect}</p>
      </div>
      <div className="min-w-40 grow text-xs">
        <p className={hasKey ? 'text-ok' : 'text-soft'}>{stateOf(provider, isDemo)}</p>
        <p className="font-mono break-all text-soft">{keyVariables.join(' or ') || 'no variable'}</p>
      </div>
      <div className="flex min-w-0 items-center gap-1 max-sm:w-full max-sm:justify-between">
        <code className="truncate font-mono text-xs text-soft">{new URL(proxy).pathname}</code>
        <CopyButton text={proxy} label={`Copy the proxy address of ${id}`} />
      </div>
    </li>
  );
}

/** In the demo no key is set but those of the stand-in: whoever else can be asked needs none, and is asked itself. */
function stateOf({ hasKey, keyVariables }: Provider, isDemo: boolean): string {
  if (!hasKey) return 'needs a key';
  if (!isDemo) return 'ready';
  return DEMO_VARIABLES.some((name) => keyVariables.includes(name)) ? 'answers in the demo' : 'needs no key';
}
