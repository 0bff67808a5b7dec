import { Command } from 'cmdk';
import type { ReactNode } from 'react';

export interface PaletteItemProps {
  readonly id: string;
  readonly icon?: ReactNode;
  readonly children: ReactNode;
  /** At the end of the line. */
  readonly aside?: ReactNode;
  readonly onChoose: () => void;
}

export function PaletteItem({ id, icon, children, aside, onChoose }: PaletteItemProps) {
  return (
    <Command.Item
      value={id}
      onSelect={onChoose}
      className="flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 data-[selected=true]:bg-hover"
    >
      <span className="flex w-4 shrink-0 justify-center text-faint">{icon}</span>
      <span className="min-w-0 grow truncate">{children}</span>
      {aside && <span className="flex shrink-0 gap-1 text-xs text-soft">{aside}</span>}
    </Command.Item>
  );
}
