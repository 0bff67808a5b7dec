import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleDashed } from 'lucide-react';
import { useState } from 'react';
import { queries } from '../api/queries.ts';
import type { Agent, Provider } from '../api/types.ts';
import { orderModels } from '../state/group-models.ts';
import { useOverlays } from '../state/overlays.ts';
import { setTheme, THEME_TITLES, type Theme, useTheme } from '../state/theme.ts';
import { useView } from '../state/view.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ChoiceField, TextField } from '../ui/field.tsx';
import { shortNumber } from '../ui/format.ts';
import { LANGUAGE, t, tx } from '../words/words.ts';
import { DEMO_VARIABLES } from './add-key.tsx';
import { KeySection } from './key-section.tsx';
import { ProblemSection } from './problem-section.tsx';
import { QueryView } from './query-view.tsx';

const PARTS = [
  { id: 'problems', title: t('settings.problems'), Part: ProblemSection },
  { id: 'providers', title: t('settings.providers'), Part: ProviderSection },
  { id: 'models', title: t('settings.models'), Part: ModelSection },
  { id: 'agents', title: t('settings.agents'), Part: AgentSection },
  { id: 'tools', title: t('settings.tools'), Part: ToolSection },
  { id: 'look', title: t('settings.look'), Part: LookSection },
  { id: 'keys', title: t('settings.keys'), Part: KeySection },
  { id: 'about', title: t('settings.store-and-server'), Part: AboutSection },
] as const;

/** The setup of the server. It comes from the environment and the configuration; the page cannot change it. */
export default function SettingsScreen() {
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-8 p-4 sm:p-8">
        <header>
          <h1 className="text-xl font-semibold tracking-tight">{t('settings.title')}</h1>
          <p className="mt-1 text-soft">{t('settings.about')}</p>
          <nav aria-label={t('settings.parts')} className="mt-3 flex flex-wrap gap-1">
            {PARTS.map(({ id, title }) => (
              <a
                key={id}
                href={`#${id}`}
                className="rounded-full border border-line px-3 py-0.5 text-sm text-soft hover:bg-hover hover:text-ink"
              >
                {title}
              </a>
            ))}
          </nav>
        </header>
        {PARTS.map(({ id, title, Part }) => (
          <section key={id} id={id} aria-labelledby={`${id}-title`} className="scroll-mt-4">
            <h2 id={`${id}-title`} className="mb-2 text-base font-semibold">
              {title}
            </h2>
            <Part />
          </section>
        ))}
      </div>
    </div>
  );
}

/** Writes "A or B". */
const either = new Intl.ListFormat(LANGUAGE, { type: 'disjunction' });

/** The providers: whether there is a key, which variable holds it, and the proxy address for clients. */
function ProviderSection() {
  const query = useQuery(queries.providers());
  const { data: version } = useQuery(queries.version());
  return (
    <QueryView query={query}>
      {({ items }) => {
        const sorted = [...items].sort((a, b) => Number(b.hasKey) - Number(a.hasKey));
        return (
          <>
            {version?.demo && (
              <p className="mb-3 rounded-lg bg-warn-soft p-3 text-warn">
                {tx('settings.demo', { variable: <code className="font-mono">ANTHROPIC_API_KEY</code> })}
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
    </QueryView>
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
      <div className="min-w-40 grow text-xs max-sm:w-full max-sm:pl-7">
        <p className={hasKey ? 'text-ok' : 'text-soft'}>{keyState(provider, isDemo)}</p>
        <p className="font-mono break-all text-soft">{either.format(keyVariables) || t('settings.no-variable')}</p>
      </div>
      <div className="flex min-w-0 items-center gap-1 max-sm:w-full max-sm:justify-between max-sm:pl-7">
        <code className="truncate font-mono text-xs text-soft">{new URL(proxy).pathname}</code>
        <CopyButton text={proxy} label={t('settings.proxy-copy', { id })} />
      </div>
    </li>
  );
}

/** In demo mode only the stand-in has keys, so any other usable provider is one that needs no key. */
function keyState({ hasKey, keyVariables }: Provider, isDemo: boolean): string {
  if (!hasKey) return t('settings.key-needed');
  if (!isDemo) return t('settings.key-there');
  return DEMO_VARIABLES.some((name) => keyVariables.includes(name)) ? t('settings.key-demo') : t('settings.key-none');
}

const SHOWN = 12;

/** The models of providers that have a key, to choose the next one from. */
function ModelSection() {
  const query = useQuery(queries.models());
  const settings = useQuery(queries.settings());
  const chosen = useView((view) => view.model);
  const [words, setWords] = useState('');
  const [isWhole, setWhole] = useState(false);
  const current = chosen ?? settings.data?.model;
  return (
    <QueryView query={query}>
      {({ items }) => {
        const found = orderModels(items.filter(({ id }) => id.toLowerCase().includes(words.toLowerCase())));
        const shown = isWhole ? found : found.slice(0, SHOWN);
        return (
          <>
            <div className="mb-2 flex flex-wrap items-center gap-2">
              <p className="mr-auto text-soft">
                {tx('settings.model-next', {
                  model: <b className="font-medium text-ink">{current ?? t('settings.model-none')}</b>,
                })}
              </p>
              {chosen !== undefined && (
                <Button small look="quiet" onClick={() => useView.setState({ model: undefined })}>
                  {t('settings.model-reset')}
                </Button>
              )}
              <TextField
                aria-label={t('settings.models-filter')}
                placeholder={t('settings.models-filter-placeholder')}
                value={words}
                onChange={(event) => setWords(event.target.value)}
              />
            </div>
            {found.length === 0 ? (
              <p className="p-3 text-soft">{t('settings.models-none')}</p>
            ) : (
              <ul className="rounded-lg border border-line bg-surface">
                {shown.map(({ id, contextTokens, hasKey }) => (
                  <li key={id} className="flex items-center gap-3 border-b border-line px-3 py-1 last:border-0">
                    <span className="min-w-0 grow truncate">{id}</span>
                    <span className="shrink-0 text-xs text-faint">
                      {!hasKey
                        ? t('settings.model-no-key')
                        : contextTokens !== undefined &&
                          t('settings.model-context', { number: shortNumber(contextTokens) })}
                    </span>
                    <Button
                      small
                      look="quiet"
                      aria-label={t('settings.model-choose-label', { id })}
                      disabled={id === current}
                      onClick={() => useView.setState({ model: id })}
                    >
                      {id === current ? t('settings.model-chosen') : t('settings.model-choose')}
                    </Button>
                  </li>
                ))}
              </ul>
            )}
            {found.length > SHOWN && (
              <Button small look="quiet" className="mt-2" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
                {isWhole ? t('settings.models-fewer') : t('settings.models-all', { count: found.length })}
              </Button>
            )}
          </>
        );
      }}
    </QueryView>
  );
}

/** The agents, each with its model, tools and system text. */
function AgentSection() {
  const query = useQuery(queries.agents());
  return (
    <QueryView query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="rounded-lg border border-line p-3 text-soft">
            {tx('settings.no-agents', { files: <code className="font-mono">agents/*.yaml</code> })}
          </p>
        ) : (
          <ul className="flex flex-col gap-2">
            {items.map((agent) => (
              <Card key={agent.id} agent={agent} />
            ))}
          </ul>
        )
      }
    </QueryView>
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
          {tx('settings.agent-tools', { names: <span className="font-mono">{tools.join(', ')}</span> })}
        </p>
      )}
      {system && (
        <details className="mt-1 text-sm">
          <summary className="text-xs text-soft">{t('settings.agent-system')}</summary>
          <pre className="mt-1 max-h-64 overflow-y-auto rounded-md bg-sunken p-2 font-sans text-sm whitespace-pre-wrap">
            {system}
          </pre>
        </details>
      )}
    </li>
  );
}

function ToolSection() {
  const query = useQuery(queries.tools());
  return (
    <QueryView query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="rounded-lg border border-line p-3 text-soft">{t('settings.no-tools')}</p>
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
    </QueryView>
  );
}

const THEMES = (['system', 'light', 'dark'] as const).map((theme) => ({ value: theme, title: THEME_TITLES[theme] }));

/** The settings that only this browser stores. */
function LookSection() {
  const { theme } = useTheme();
  const welcomed = useView((view) => view.welcomed);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ChoiceField
        label={t('settings.theme')}
        choices={THEMES}
        value={theme}
        onChoose={(value) => setTheme(value as Theme)}
      />
      <Button onClick={() => useOverlays.setState({ help: true })}>{t('settings.all-keys')}</Button>
      {welcomed && <Button onClick={() => useView.setState({ welcomed: false })}>{t('settings.welcome')}</Button>}
    </div>
  );
}

/** The store and the release. */
function AboutSection() {
  const settings = useQuery(queries.settings());
  const version = useQuery(queries.version());
  return (
    <QueryView query={settings}>
      {({ project, store, presets }) => (
        <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 rounded-lg border border-line bg-surface p-3">
          <Fact name={t('bar.project')} value={project} />
          <Fact name={t('bar.store')} value={store} />
          <Fact name={t('settings.presets')} value={Object.keys(presets).join(', ') || t('settings.no-presets')} />
          <Fact name={t('settings.release')} value={version.data?.version ?? ''} />
          <Fact name={t('settings.api')} value={version.data?.api ?? ''} />
        </dl>
      )}
    </QueryView>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
