import { useLayoutEffect, useRef } from 'react';
import { create } from 'zustand';

/** What commands are about, in the order in which they are shown. */
export const GROUPS = ['Go to', 'Message', 'Branch', 'Conversation', 'View', 'Forest'] as const;

/** Something the reader can do: from the palette, by a key, from a menu. */
export interface Command {
  readonly id: string;
  readonly title: string;
  readonly group: (typeof GROUPS)[number];
  /** Such as `Alt+ArrowUp`, `Ctrl+Enter`, `e`, `g 3`; several mean the same. Ctrl is also Cmd on a Mac. */
  readonly keys?: readonly string[];
  /** Also found by these words. */
  readonly words?: string;
  /** Also while typing; keys with Ctrl always are. */
  readonly whileTyping?: boolean;
  readonly run: () => void;
}

interface Registry {
  readonly commands: ReadonlyMap<string, Command>;
}

export const useCommands = create<Registry>(() => ({ commands: new Map() }));

/** Offers commands while a component is on screen. The last one to offer an id has it. */
export function useCommandList(commands: readonly Command[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  const ids = commands.map(({ id, title, keys }) => `${id}|${title}|${keys?.join(',')}`).join('\n');
  // Before the component is seen: whoever sees it may press a key.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `ids` stands for the commands, whose functions change at every drawing
  useLayoutEffect(() => {
    const offered = latest.current.map((command) => ({
      ...command,
      run: () => latest.current.find(({ id }) => id === command.id)?.run(),
    }));
    useCommands.setState(({ commands: before }) => {
      const after = new Map(before);
      for (const command of offered) after.set(command.id, command);
      return { commands: after };
    });
    return () => {
      useCommands.setState(({ commands: before }) => {
        const after = new Map(before);
        for (const command of offered) if (after.get(command.id) === command) after.delete(command.id);
        return { commands: after };
      });
    };
  }, [ids]);
}
