import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useState } from 'react';
import { chooseDefaultModel } from '../../api/library.ts';
import { queries } from '../../api/queries.ts';
import type { Model } from '../../api/types.ts';
import { shortNumber } from '../../ui/format.ts';
import { type Option, OptionList } from '../../ui/option-list.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { LANGUAGE, t } from '../../words/words.ts';

export interface ModelListProps {
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
  /** Whether the chosen model can be made that of new conversations. */
  readonly canSetDefault?: boolean;
}

/** A searchable list of models; any other model can be typed. */
export default function ModelList({ chosen, onChoose, canSetDefault = false }: ModelListProps) {
  const [search, setSearch] = useState('');
  const { data, isPending } = useQuery(queries.models());
  const { data: library } = useQuery(queries.library());
  const makeDefault = (model: string | undefined) => {
    chooseDefaultModel(model).then(
      () => toast(model === undefined ? t('models.default-gone') : t('models.is-default', { model })),
      toastError,
    );
    onChoose(undefined);
  };
  const isOther = /^[^/\s]+\/\S+$/.test(search) && !data?.items.some(({ id }) => id === search);
  const first: readonly Option[] = [
    ...(isOther ? [{ id: search, text: t('composer.model-use-typed', { search }), run: () => onChoose(search) }] : []),
    ...(search === '' && chosen !== undefined
      ? [{ id: 'default', text: t('models.default'), run: () => onChoose(undefined) }]
      : []),
    ...(canSetDefault && search === '' && chosen !== undefined && chosen !== library?.model
      ? [{ id: 'make-default', text: t('models.make-default'), run: () => makeDefault(chosen) }]
      : []),
    ...(canSetDefault && search === '' && library?.model !== undefined
      ? [
          {
            id: 'no-default',
            text: t('models.no-default'),
            run: () => makeDefault(undefined),
          },
        ]
      : []),
  ];
  const groups = groupModels(data?.items ?? [], search).map(({ provider, models, more }) => ({
    heading: provider,
    options: models.map((one) => ({
      id: one.id,
      text: one.model,
      aside: (
        <>
          {one.hasKey ? one.contextTokens !== undefined && shortNumber(one.contextTokens) : t('composer.model-no-key')}
          {one.id === chosen && <Check size={14} aria-label={t('composer.model-chosen')} className="text-accent" />}
        </>
      ),
      run: () => onChoose(one.id),
    })),
    note: more > 0 ? t('composer.models-more', { count: more }) : undefined,
  }));
  return (
    <OptionList
      label={t('composer.models')}
      placeholder={t('composer.model-search')}
      query={search}
      onQuery={setSearch}
      groups={first.length > 0 ? [{ options: first }, ...groups] : groups}
      empty={isPending ? t('composer.models-loading') : t('composer.models-none')}
      fieldClassName="mb-2 h-8 shrink-0 rounded-md border border-line bg-page px-2 placeholder:text-faint"
      listClassName="max-h-72"
    />
  );
}

/** The most models shown per provider; others are found by searching. */
const SHOWN = 8;
const SHOWN_FOUND = 40;

export interface ModelGroup {
  readonly provider: string;
  readonly models: readonly Model[];
  /** The number of models that are not shown. */
  readonly more: number;
}

/** Models whose names have every word of the search, grouped by provider, probably newest first. */
export function groupModels(models: readonly Model[], search: string): readonly ModelGroup[] {
  const words = search
    .toLowerCase()
    .split(/[\s/]+/)
    .filter(Boolean);
  const found = models.filter(({ id }) => words.every((word) => id.toLowerCase().includes(word)));
  const groups = new Map<string, Model[]>();
  for (const model of found) groups.set(model.provider, [...(groups.get(model.provider) ?? []), model]);
  const most = words.length === 0 ? SHOWN : SHOWN_FOUND;
  const wanted = search.trim().toLowerCase();
  const isExact = ({ id, model }: Model) => id.toLowerCase() === wanted || model.toLowerCase() === wanted;
  const exactFirst = (a: Model, b: Model) => Number(isExact(b)) - Number(isExact(a)) || byNewest(a, b);
  return [...groups]
    .map(([provider, list]) => ({
      provider,
      models: list.toSorted(exactFirst).slice(0, most),
      more: Math.max(0, list.length - most),
    }))
    .sort((a, b) => Number(b.models.some(isExact)) - Number(a.models.some(isExact)));
}

/** Models without known limits come last: they are old or special. Then higher versions first. */
function byNewest(a: Model, b: Model): number {
  const isKnown = Number(b.contextTokens !== undefined) - Number(a.contextTokens !== undefined);
  return (
    isKnown ||
    readVersion(b.model) - readVersion(a.model) ||
    b.model.localeCompare(a.model, LANGUAGE, { numeric: true })
  );
}

/** The version in the name of a model, such as 5.5 of `claude-opus-5-5`; neither its date nor its size. */
function readVersion(model: string): number {
  const [, major, minor = '0'] = /(?<![\d.])(\d{1,2})(?:[.-](\d{1,2}))?(?![\d.]*[bk\d])/.exec(model) ?? [];
  return major === undefined ? 0 : Number(`${major}.${minor}`);
}
