import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';

/** The protocols that the server reads and writes messages in, for a field to choose from; none until it has told. */
export function useDialectChoices(): readonly { readonly value: string; readonly title: string }[] {
  const { data } = useQuery(queries.dialects());
  return (data?.items ?? []).map(({ id, title }) => ({ value: id, title }));
}
