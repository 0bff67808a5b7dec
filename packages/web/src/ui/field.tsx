import { type InputHTMLAttributes, type SelectHTMLAttributes, useState } from 'react';
import { t } from '../words/words.ts';

const LOOK =
  'h-8 min-w-0 rounded-md border border-line bg-surface px-2 text-sm text-ink pointer-coarse:h-10 pointer-coarse:text-base placeholder:text-faint hover:border-line-strong';

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

/** The choice of none, followed by each distinct name. */
export function namedChoices(none: string, names: readonly string[]): readonly Choice[] {
  return [{ value: '', title: none }, ...[...new Set(names)].map((name) => ({ value: name, title: name }))];
}

/** A select field; screen readers get its label. */
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
  /** Called only when the title changed. */
  readonly onRename: (title: string) => void;
  /** Called at the end, whether the title changed or not. */
  readonly onDone: () => void;
}

/** A field to edit a title in place. */
export function RenameField({ title, onRename, onDone }: RenameFieldProps) {
  const [written, setWritten] = useState(title);
  const save = () => {
    onDone();
    if (written.trim() !== title) onRename(written.trim());
  };
  return (
    <TextField
      autoFocus
      aria-label={t('ui.rename-title')}
      value={written}
      maxLength={500}
      className="-ml-1 w-full max-w-md px-1! focus-visible:outline-offset-0"
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
