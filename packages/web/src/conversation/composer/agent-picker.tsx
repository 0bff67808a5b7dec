import { useQuery } from '@tanstack/react-query';
import { Bot } from 'lucide-react';
import { queries } from '../../api/queries.ts';
import { useView } from '../../state/view.ts';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { Option } from './option.tsx';

/** Who answers: nobody in particular, or one of the server's agents. */
export function AgentPicker() {
  const { data } = useQuery(queries.agents());
  const chosen = useView((view) => view.agent);
  const agents = data?.items ?? [];
  if (agents.length === 0) return null;
  const name = agents.find(({ id }) => id === chosen)?.name;
  return (
    <Popover
      side="top"
      label="Agent"
      trigger={
        <Button small look="quiet" aria-label={`Agent: ${name ?? 'none'}`} className={name ? 'text-accent!' : ''}>
          <Bot size={14} aria-hidden /> <span className="max-sm:hidden">{name ?? 'Agent'}</span>
        </Button>
      }
    >
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 text-xs font-medium text-soft">Agent</legend>
        <Option
          type="radio"
          title="None"
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
