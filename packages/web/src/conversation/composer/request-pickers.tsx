import { useQuery } from '@tanstack/react-query';
import { Bot, ChevronDown, SlidersHorizontal, Wrench } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { queries } from '../../api/queries.ts';
import { useConversationAddress } from '../../state/current-thread.ts';
import { useModel } from '../../state/model.ts';
import { chooseModel, chooseSettings, type RequestSettings, useView } from '../../state/view.ts';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { ProviderDot } from '../../ui/provider-dot.tsx';
import { t } from '../../words/words.ts';

const ModelList = lazy(() => import('./model-list.tsx'));

interface ModelPickerProps {
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}

/** The picker of the model that answers next. */
export function ModelPicker({ isOpen, onOpenChange }: ModelPickerProps) {
  const model = useModel();
  const chosen = useView((view) => view.model);
  const choose = (id: string | undefined) => {
    chooseModel(id);
    onOpenChange(false);
  };
  const [provider, ...rest] = (model ?? '').split('/');
  return (
    <Popover
      label={t('composer.model')}
      open={isOpen}
      onOpenChange={onOpenChange}
      trigger={
        <Button
          small
          look="quiet"
          aria-label={t('composer.model-label', { model: model ?? t('composer.model-none') })}
          className="max-w-56 min-w-0 shrink! max-sm:px-1"
        >
          <ProviderDot provider={provider} />
          <span className="truncate">{rest.join('/') || model || t('composer.model-choose')}</span>
          <ChevronDown size={12} aria-hidden className="shrink-0 max-sm:hidden" />
        </Button>
      }
    >
      <Suspense fallback={<p className="text-xs text-faint">{t('composer.models-loading')}</p>}>
        <ModelList chosen={chosen} current={model} onChoose={choose} canSetDefault />
      </Suspense>
    </Popover>
  );
}

/** The picker of the agent that answers, or none. */
export function AgentPicker() {
  const { data } = useQuery(queries.agents());
  const chosen = useView((view) => view.agent);
  const agents = data?.items ?? [];
  if (agents.length === 0) return null;
  const name = agents.find(({ id }) => id === chosen)?.name;
  return (
    <Popover
      label={t('composer.agent')}
      trigger={
        <Button
          small
          look="quiet"
          aria-label={t('composer.agent-label', { name: name ?? t('composer.model-none') })}
          className={name ? 'text-accent!' : ''}
        >
          <Bot size={14} aria-hidden /> <span className="max-sm:hidden">{name ?? t('composer.agent')}</span>
        </Button>
      }
    >
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 text-xs font-medium text-soft">{t('composer.agent')}</legend>
        <Option
          type="radio"
          title={t('composer.agent-none')}
          isChosen={chosen === undefined}
          onChoose={() => useView.setState({ agent: undefined })}
        />
        {agents.map(({ id, name: title, description }) => (
          <Option
            key={id}
            type="radio"
            title={title}
            note={description}
            isChosen={id === chosen}
            onChoose={() => useView.setState({ agent: id, model: undefined })}
          />
        ))}
      </fieldset>
    </Popover>
  );
}

/** The picker of the tools that the model may call. */
export function ToolPicker() {
  const { data } = useQuery(queries.tools());
  const agents = useQuery(queries.agents());
  const agent = useView((view) => view.agent);
  const { tools: chosen, choose } = useSettings();
  const own = agents.data?.items.find(({ id }) => id === agent)?.tools ?? [];
  const listed = data?.items ?? [];
  const isOther = (name: string) => !listed.some((one) => one.name === name);
  const tools = [
    ...listed,
    ...own.filter(isOther).map((name) => ({ name, description: t('composer.tool-of-agent') })),
    ...chosen
      .filter((name) => isOther(name) && !own.includes(name))
      .map((name) => ({ name, description: t('composer.tool-of-recording') })),
  ];
  if (tools.length === 0) return null;
  const toggle = (name: string) =>
    choose({ tools: chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name] });
  return (
    <Popover
      label={t('composer.tools')}
      trigger={
        <Button
          small
          look="quiet"
          aria-label={t('composer.tools-chosen', { count: chosen.length })}
          className={chosen.length > 0 ? 'text-accent!' : ''}
        >
          <Wrench size={14} aria-hidden /> <span className="max-sm:hidden">{t('composer.tools')}</span>{' '}
          {chosen.length > 0 && chosen.length}
        </Button>
      }
    >
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 text-xs font-medium text-soft">{t('composer.tools-title')}</legend>
        {tools.map(({ name, description }) => (
          <Option
            key={name}
            type="checkbox"
            title={name}
            note={description}
            isChosen={chosen.includes(name)}
            onChoose={() => toggle(name)}
          />
        ))}
      </fieldset>
    </Popover>
  );
}

const EFFORTS = ['minimal', 'low', 'medium', 'high'] as const;

/** The picker of request parameters. Empty ones are left to the provider. */
export function ParamsPicker() {
  const { params, choose } = useSettings();
  const set = (name: string, value: unknown) => {
    const { [name]: _before, ...rest } = params;
    choose({ params: value === undefined ? rest : { ...rest, [name]: value } });
  };
  const effort = (params.reasoning as { effort?: string } | undefined)?.effort ?? '';
  const count = Object.keys(params).length;
  return (
    <Popover
      label={t('composer.parameters')}
      trigger={
        <Button
          small
          look="quiet"
          aria-label={t('composer.parameters-set', { count })}
          className={count > 0 ? 'text-accent!' : ''}
        >
          <SlidersHorizontal size={14} aria-hidden /> {count > 0 && count}
        </Button>
      }
    >
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 text-xs font-medium text-soft">{t('composer.parameters-title')}</legend>
        <NumberField
          label={t('composer.temperature')}
          step={0.1}
          min={0}
          max={2}
          value={params.temperature}
          onChange={(value) => set('temperature', value)}
        />
        <NumberField
          label={t('composer.maximum-tokens')}
          step={1}
          min={1}
          value={params.maxTokens}
          onChange={(value) => set('maxTokens', value)}
        />
        <label className="flex items-center justify-between gap-2">
          {t('composer.reasoning-effort')}
          <select
            value={effort}
            onChange={(event) =>
              set('reasoning', event.target.value === '' ? undefined : { effort: event.target.value })
            }
            className="h-8 w-32 rounded-md border border-line bg-page px-2 pointer-coarse:h-10"
          >
            <option value="">{t('composer.default')}</option>
            {EFFORTS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </fieldset>
    </Popover>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: unknown;
  readonly step: number;
  readonly min: number;
  readonly max?: number;
  readonly onChange: (value: number | undefined) => void;
}

function NumberField({ label, value, onChange, ...limits }: NumberFieldProps) {
  return (
    <label className="flex items-center justify-between gap-2">
      {label}
      <input
        type="number"
        {...limits}
        value={typeof value === 'number' ? value : ''}
        onChange={({ target }) =>
          onChange(target.value === '' || !target.validity.valid ? undefined : target.valueAsNumber)
        }
        className="h-8 w-32 rounded-md border border-line bg-page px-2 pointer-coarse:h-10"
      />
    </label>
  );
}

interface OptionProps {
  readonly type: 'radio' | 'checkbox';
  readonly title: string;
  readonly note?: string | undefined;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

/** One option of a picker. */
function Option({ type, title, note, isChosen, onChoose }: OptionProps) {
  return (
    <label className="flex cursor-pointer items-start gap-2 rounded px-1 py-1 hover:bg-hover pointer-coarse:min-h-10 pointer-coarse:items-center pointer-coarse:py-2">
      <input
        type={type}
        {...(type === 'radio' && { name: 'composer-agent' })}
        checked={isChosen}
        onChange={onChoose}
        className="mt-0.5 pointer-coarse:mt-0"
      />
      <span className="min-w-0">
        <span className="block truncate">{title}</span>
        {note && <span className="line-clamp-2 text-xs text-faint">{note}</span>}
      </span>
    </label>
  );
}

/** The parameters that a reader can choose; a recorded request may have had others. */
const CHOOSABLE = ['maxTokens', 'temperature', 'topP', 'stop', 'seed', 'reasoning'];

function choosable(params: RequestSettings['params'] = {}): Required<RequestSettings>['params'] {
  return Object.fromEntries(Object.entries(params).filter(([name]) => CHOOSABLE.includes(name)));
}

/** The tools and parameters of the next request, and how to change them. */
export function useSettings(): Required<RequestSettings> & { readonly choose: (settings: RequestSettings) => void } {
  const thread = useConversationAddress()?.thread;
  const start = useView(({ tools }) => tools);
  const startParams = useView(({ params }) => params);
  const chosen = useView(({ chosenFor }) => (chosenFor?.thread === thread ? chosenFor : undefined));
  const { data } = useQuery({ ...queries.lastRequest(thread ?? ''), enabled: thread !== undefined });
  const last = thread === undefined ? undefined : data?.last;
  return {
    tools: chosen?.tools ?? last?.tools ?? start,
    params: chosen?.params ?? (last ? choosable(last.params) : startParams),
    choose: (settings) => chooseSettings(thread, settings),
  };
}
