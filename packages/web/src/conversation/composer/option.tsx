interface OptionProps {
  readonly type: 'radio' | 'checkbox';
  readonly title: string;
  readonly note?: string | undefined;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

/** One of several to choose. */
export function Option({ type, title, note, isChosen, onChoose }: OptionProps) {
  return (
    <label className="flex cursor-pointer items-start gap-2 rounded px-1 py-1 hover:bg-hover">
      <input type={type} checked={isChosen} onChange={onChoose} className="mt-1 accent-(--accent)" />
      <span className="min-w-0">
        <span className="block truncate">{title}</span>
        {note && <span className="line-clamp-2 text-xs text-faint">{note}</span>}
      </span>
    </label>
  );
}
