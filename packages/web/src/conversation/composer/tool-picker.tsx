import { useQuery } from '@tanstack/react-query';
import { Wrench } from 'lucide-react';
import { queries } from '../../api/queries.ts';
import { useView } from '../../state/view.ts';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { Option } from './option.tsx';
import { useSettings } from './use-settings.ts';

/** What the model may call. */
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
    ...own.filter(isOther).map((name) => ({ name, description: 'of the agent' })),
    ...chosen
      .filter((name) => isOther(name) && !own.includes(name))
      .map((name) => ({ name, description: 'of the recorded program: you write its results' })),
  ];
  if (tools.length === 0) return null;
  const toggle = (name: string) =>
    choose({ tools: chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name] });
  return (
    <Popover
      side="top"
      label="Tools"
      trigger={
        <Button
          small
          look="quiet"
          aria-label={`Tools: ${chosen.length} chosen`}
          className={chosen.length > 0 ? 'text-accent!' : ''}
        >
          <Wrench size={14} aria-hidden /> <span className="max-sm:hidden">Tools</span>{' '}
          {chosen.length > 0 && chosen.length}
        </Button>
      }
    >
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 text-xs font-medium text-soft">Tools the model may call</legend>
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
