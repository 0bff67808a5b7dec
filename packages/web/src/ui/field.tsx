import { type InputHTMLAttributes, type SelectHTMLAttributes, useState } from 'react';

const LOOK =
  'h-8 min-w-0 rounded-md border border-line bg-surface px-2 text-sm text-ink placeholder:text-faint hover:border-line-strong';

export function TextField({ className = '', ...rest }: InputHTMLAttributes<HTMLInputElement>) {
  return <input className={`${LOOK} ${className}`} {...rest} />;
}

interface Choice {
  readonly value: string;
  readonly title: string;
}

interface ChoiceFieldProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'> {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly onChoose: (value: string) => void;
}

/** Names to choose from, each once and as they are, behind the choice of none. */
export function namedChoices(none: string, names: readonly string[]): readonly Choice[] {
  return [{ value: '', title: none }, ...[...new Set(names)].map((name) => ({ value: name, title: name }))];
}

/** One of a few; its label is for those who cannot see where it stands. */
export function ChoiceField({ label, choices, onChoose, className = '', ...rest }: ChoiceFieldProps) {
  return (
    <select
      aria-label={label}
      className={`${LOOK} cursor-pointer ${className}`}
      onChange={(event) => onChoose(event.target.value)}
      {...rest}
    >
      {choices.map(({ value, title }) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  );
}

interface RenameFieldProps {
  readonly title: string;
  /** Called with another title only. */
  readonly onRename: (title: string) => void;
  /** Called at the end, whether there is another title or not. */
  readonly onDone: () => void;
}

/** Another title, in the place of the one there is. */
export function RenameField({ title, onRename, onDone }: RenameFieldProps) {
  const [written, setWritten] = useState(title);
  const save = () => {
    onDone();
    if (written.trim() !== title) onRename(written.trim());
  };
  return (
    <TextField
      autoFocus
      aria-label="Title"
      value={written}
      maxLength={500}
      className="-ml-2 h-7 w-full max-w-md"
      onChange={(event) => setWritten(event.target.value)}
      onFocus={(event) => event.target.select()}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter') save();
        if (event.key === 'Escape') onDone();
      }}
    />
  );
}
