import { useQuery } from '@tanstack/react-query';
import { Bot, Check, Paperclip, Settings2 } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { queries } from '../api/queries.ts';
import type { Agent } from '../api/types.ts';
import { loadMarkdown } from '../blocks/blocks.tsx';
import { useModel } from '../state/model.ts';
import { chooseModel, useView } from '../state/view.ts';
import { Kbd } from '../ui/kbd.tsx';
import { ProviderDot } from '../ui/provider-dot.tsx';
import { t } from '../words/words.ts';
import { send } from './actions.ts';
import { Composer, focusComposer } from './composer/composer.tsx';
import { useDraft } from './composer/draft.ts';
import { Connections } from './connections.tsx';

/** The screen of a conversation that has not begun: the field in the middle, who can answer, and what is possible. */
export function NewConversation() {
  const [{ text: system }, changeSystem] = useDraft('new-system');
  const [hasSystem, setHasSystem] = useState(system !== '');
  useEffect(focusComposer, []);
  return (
    // What renders messages is loaded when the first one is being written, not with the screen.
    <div onInput={() => void loadMarkdown()} className="h-full overflow-y-auto">
      <div className="mx-auto flex min-h-full w-full max-w-3xl flex-col justify-center gap-6 py-8">
        <h1 className="px-6 text-center text-2xl font-semibold tracking-tight text-balance">{t('new.title')}</h1>
        <div className="flex flex-col gap-3">
          {hasSystem && (
            <label className="mx-3 flex flex-col gap-1 text-xs text-soft">
              {t('new.system-text')}
              <textarea
                value={system}
                onChange={(event) => changeSystem({ text: event.target.value })}
                rows={4}
                className="field-sizing-content max-h-[30dvh] min-h-24 w-full resize-none rounded-xl border border-line bg-surface p-3 text-sm text-ink"
              />
            </label>
          )}
          <Composer
            place="new"
            isGrowing={false}
            placeholder={t('new.placeholder')}
            onSend={async (content, plan) => {
              const first =
                system.trim() === ''
                  ? []
                  : [{ role: 'system' as const, content: [{ type: 'text' as const, text: system }] }];
              const isSent = await send(undefined, [...first, { role: 'user', content }], plan);
              if (isSent) {
                changeSystem({ text: '' });
                focusComposer();
              }
              return isSent;
            }}
          />
          <RecentModels />
        </div>
        <AgentCards />
        <Hints onSystem={hasSystem ? undefined : () => setHasSystem(true)} />
        <Connections />
      </div>
    </div>
  );
}

/** The models that were asked last, to choose with one click. */
function RecentModels() {
  const model = useModel();
  const recent = useView((view) => view.recentModels);
  const { data } = useQuery(queries.models());
  const shown = recent.filter((id) => data?.items.some((one) => one.id === id && one.hasKey));
  if (shown.length < 2) return null;
  return (
    <ul aria-label={t('new.recent-models')} className="flex flex-wrap justify-center gap-1.5 px-3">
      {shown.map((id) => {
        const [provider, ...name] = id.split('/');
        const isChosen = id === model;
        return (
          <li key={id}>
            <button
              type="button"
              aria-pressed={isChosen}
              title={id}
              onClick={() => {
                chooseModel(id);
                focusComposer();
              }}
              className={`flex h-7 items-center gap-1.5 rounded-full border px-3 text-xs pointer-coarse:h-10 ${isChosen ? 'border-accent bg-accent-soft text-accent' : 'border-line text-soft hover:bg-hover hover:text-ink'}`}
            >
              {isChosen ? <Check size={12} aria-hidden /> : <ProviderDot provider={provider} />}
              {name.join('/')}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** The agents of this server as cards. The chosen one answers. */
function AgentCards() {
  const { data } = useQuery(queries.agents());
  const chosen = useView((view) => view.agent);
  const agents = data?.items ?? [];
  if (agents.length === 0) return null;
  return (
    <section aria-label={t('new.agents')} className="px-3">
      <h2 className="mb-2 text-center text-xs font-medium text-faint">{t('new.agents-title')}</h2>
      <ul className="grid gap-2 sm:grid-cols-2">
        {agents.map((agent) => (
          <li key={agent.id}>
            <AgentCard agent={agent} isChosen={agent.id === chosen} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function AgentCard({ agent, isChosen }: { readonly agent: Agent; readonly isChosen: boolean }) {
  const { id, name, description, model, tools } = agent;
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={() => {
        useView.setState(isChosen ? { agent: undefined } : { agent: id, model: undefined });
        focusComposer();
      }}
      className={`flex h-full w-full items-start gap-3 rounded-xl border p-3 text-left transition-colors ${isChosen ? 'border-accent bg-accent-soft' : 'border-line bg-surface hover:border-line-strong'}`}
    >
      <span className="flex size-8 shrink-0 items-center justify-center rounded-lg bg-sunken text-accent">
        {isChosen ? <Check size={16} aria-hidden /> : <Bot size={16} aria-hidden />}
      </span>
      <span className="min-w-0">
        <span className="block truncate font-medium">{name}</span>
        {description !== undefined && <span className="line-clamp-2 text-xs text-soft">{description}</span>}
        <span className="mt-1 block truncate text-xs text-faint">
          {[
            model.split('/').slice(1).join('/'),
            ...(tools.length > 0 ? [t('new.agent-tools', { count: tools.length })] : []),
          ].join(' · ')}
        </span>
      </span>
    </button>
  );
}

/** What is possible here, each in a few words. */
function Hints({ onSystem }: { readonly onSystem: (() => void) | undefined }) {
  return (
    <ul
      aria-label={t('new.possible')}
      className="flex flex-wrap justify-center gap-x-5 gap-y-2 px-3 text-xs text-faint"
    >
      <Hint icon={<Kbd>/</Kbd>}>{t('new.possible-prompts')}</Hint>
      <Hint icon={<Kbd>@</Kbd>}>{t('new.possible-agents')}</Hint>
      <Hint icon={<Paperclip size={14} aria-hidden />}>{t('new.possible-files')}</Hint>
      {onSystem && (
        <Hint icon={<Settings2 size={14} aria-hidden />}>
          <button type="button" onClick={onSystem} className="text-soft underline underline-offset-2 hover:text-ink">
            {t('new.possible-system')}
          </button>
        </Hint>
      )}
    </ul>
  );
}

function Hint({ icon, children }: { readonly icon: ReactNode; readonly children: ReactNode }) {
  return (
    <li className="flex items-center gap-1.5">
      {icon}
      {children}
    </li>
  );
}
