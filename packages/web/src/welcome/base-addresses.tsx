import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';
import { baseAddresses } from '../recordings/addresses.ts';
import { CodeLine } from '../ui/code-line.tsx';

/** The three addresses that most clients need. */
export function BaseAddresses() {
  const { data } = useQuery(queries.providers());
  const main = baseAddresses(data?.items ?? []).filter(({ variable }) => variable);
  return main.map(({ provider, variable, url }) => (
    <CodeLine key={provider} text={`${variable}=${url}`} label={`Copy the line for ${variable}`} />
  ));
}
