import { tagsOf } from '../api/tags-of.ts';
import { ChoiceField, namedChoices } from '../ui/field.tsx';
import { counted } from '../ui/format.ts';
import type { ForestPartProps } from './forest-head.tsx';

const SORTINGS = [
  { value: '', title: 'Last changed' },
  { value: 'created', title: 'Newest' },
  { value: 'title', title: 'Title' },
  { value: 'rating', title: 'Rating' },
] as const;

const RATINGS = [
  { value: '', title: 'Any rating' },
  ...[5, 4, 3, 2, 1].map((stars) => ({
    value: String(stars),
    title: `${counted(stars, 'star')}${stars === 5 ? '' : ' or more'}`,
  })),
];

export function ThreadFilters({ address, onChange, threads }: ForestPartProps) {
  const tags = tagsOf(threads);
  return (
    <div className="flex items-center gap-2 *:min-w-0 max-sm:*:flex-auto">
      <ChoiceField
        label="Sort by"
        choices={SORTINGS}
        value={address.sort === 'changed' ? '' : address.sort}
        onChoose={(sort) => onChange({ sort })}
      />
      {(tags.length > 0 || address.tag) && (
        <ChoiceField
          label="With the tag"
          value={address.tag}
          onChoose={(tag) => onChange({ tag })}
          choices={namedChoices('Any tag', [...tags, ...(address.tag ? [address.tag] : [])])}
        />
      )}
      <ChoiceField label="Rated" choices={RATINGS} value={address.rating} onChoose={(rating) => onChange({ rating })} />
    </div>
  );
}
