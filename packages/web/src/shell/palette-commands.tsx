import { Command } from 'cmdk';
import { keyLabel } from '../commands/key-names.ts';
import { GROUPS, useCommands } from '../commands/registry.ts';
import { Kbd } from '../ui/kbd.tsx';
import { find } from './find.ts';
import { PaletteItem } from './palette-item.tsx';

export interface PalettePartProps {
  readonly query: string;
  readonly onDone: () => void;
}

/** What can be done here, under the headings of its groups. */
export function PaletteCommands({ query, onDone }: PalettePartProps) {
  const { commands } = useCommands();
  const offered = [...commands.values()].filter(({ id }) => id !== 'palette');
  const found = find(offered, query, ({ title, group, words = '' }) => `${title} ${group} ${words}`, 100);
  const groups = GROUPS.filter((one) => found.some(({ group }) => group === one));
  return groups.map((group) => (
    <Command.Group key={group} heading={group}>
      {found
        .filter((command) => command.group === group)
        .map(({ id, title, keys = [], run }) => (
          <PaletteItem
            key={id}
            id={`command ${id}`}
            aside={keys.map((key) => <Kbd key={key}>{keyLabel(key)}</Kbd>)}
            onChoose={() => {
              onDone();
              // Once the palette is gone, so that a field may take the focus.
              requestAnimationFrame(run);
            }}
          >
            {title}
          </PaletteItem>
        ))}
    </Command.Group>
  ));
}
