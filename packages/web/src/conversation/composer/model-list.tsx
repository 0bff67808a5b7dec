import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useState } from 'react';
import { chooseDefaultModel } from '../../api/library.ts';
import { queries } from '../../api/queries.ts';
import { groupModels } from '../../state/group-models.ts';
import { shortNumber } from '../../ui/format.ts';
import { type Option, OptionList } from '../../ui/option-list.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { t } from '../../words/words.ts';

export interface ModelListProps {
  readonly chosen?: string | undefined;
  /** The model that answers next, also if nobody chose it. */
  readonly current?: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
  /** Whether the chosen model can be made that of new conversations. */
  readonly canSetDefault?: boolean;
}

const CHOSEN = <Check size={14} aria-label={t('composer.model-chosen')} className="text-accent" />;

/** A searchable list of models; any other model can be typed. */
export default function ModelList({ chosen, current, onChoose, canSetDefault = false }: ModelListProps) {
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
  const isListed = (model: string) => data?.items.some(({ id }) => id === model);
  const isOther = /^[^/\s]+\/\S+$/.test(search) && !isListed(search);
  const first: readonly Option[] = [
    ...(isOther ? [{ id: search, text: t('composer.model-use-typed', { search }), run: () => onChoose(search) }] : []),
    ...(search === '' && current !== undefined && !isPending && !isListed(current)
      ? [{ id: current, text: current, aside: CHOSEN, run: () => onChoose(current) }]
      : []),
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
  const groups = groupModels(data?.items ?? [], search, current).map(({ provider, models, more }) => ({
    heading: provider,
    options: models.map((one) => ({
      id: one.id,
      text: one.model,
      aside: (
        <>
          {one.hasKey ? one.contextTokens !== undefined && shortNumber(one.contextTokens) : t('composer.model-no-key')}
          {one.id === current && CHOSEN}
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
      current={current}
      groups={first.length > 0 ? [{ options: first }, ...groups] : groups}
      empty={isPending ? t('composer.models-loading') : t('composer.models-none')}
      fieldClassName="mb-2 h-8 shrink-0 rounded-md border border-line bg-page px-2 placeholder:text-faint"
      listClassName="max-h-72"
    />
  );
}
