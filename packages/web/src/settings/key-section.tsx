import { Keyboard, RotateCcw } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { keyLabel, keyName } from '../commands/keys.ts';
import {
  chooseKey,
  effectiveKeys,
  findConflict,
  type KnownCommand,
  resetKeys,
  useShortcuts,
} from '../commands/shortcuts.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { t } from '../words/words.ts';

/** The keys of all commands, which the reader can change. */
export function KeySection() {
  const { chosen, known } = useShortcuts();
  const [words, setWords] = useState('');
  const found = Object.values(known)
    // The digit after a key says how often: it follows the command itself.
    .filter(({ keys }) => !keys.some((key) => / [2-9]$/.test(key)))
    .filter(({ title, group }) => `${title} ${group}`.toLowerCase().includes(words.trim().toLowerCase()))
    .sort((a, b) => a.group.localeCompare(b.group) || a.title.localeCompare(b.title));
  return (
    <>
      <p className="mb-2 text-soft">{t('keys.about')}</p>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <TextField
          type="search"
          aria-label={t('keys.find')}
          placeholder={t('keys.find')}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        {Object.keys(chosen).length > 0 && (
          <Button look="quiet" onClick={() => resetKeys()}>
            {t('keys.reset-all')}
          </Button>
        )}
      </div>
      <ul className="rounded-lg border border-line bg-surface">
        {found.map((command) => (
          <KeyRow key={command.id} command={command} isChosen={chosen[command.id] !== undefined} />
        ))}
        {found.length === 0 && <li className="p-3 text-soft">{t('keys.none-found')}</li>}
      </ul>
    </>
  );
}

function KeyRow({ command, isChosen }: { readonly command: KnownCommand; readonly isChosen: boolean }) {
  const { id, title, group, keys } = command;
  const [isListening, setListening] = useState(false);
  const [conflict, setConflict] = useState<{ readonly key: string; readonly with: KnownCommand }>();
  const press = (event: KeyboardEvent) => {
    if (!isListening || event.key === 'Tab') return;
    const key = keyName(event);
    // Neither the page nor the browser shall do what the key usually does.
    event.preventDefault();
    event.stopPropagation();
    if (key === undefined) return;
    setListening(false);
    if (key === 'Escape') return;
    const other = findConflict(id, key);
    if (other) setConflict({ key, with: other });
    else {
      setConflict(undefined);
      chooseKey(id, key);
    }
  };
  return (
    <li className="border-b border-line px-3 py-1.5 last:border-0">
      <div className="flex items-center gap-2">
        <span className="min-w-0 grow truncate">
          {title} <span className="text-xs text-faint">{group}</span>
        </span>
        <span className="flex shrink-0 gap-1">
          {effectiveKeys(id, keys).map((key) => (
            <Kbd key={key}>{keyLabel(key)}</Kbd>
          ))}
        </span>
        {isChosen && (
          <IconButton label={t('keys.reset', { command: title })} onClick={() => resetKeys(id)}>
            <RotateCcw size={14} />
          </IconButton>
        )}
        <Button
          small
          look="quiet"
          aria-label={t(isListening ? 'keys.press-for' : 'keys.change-for', { command: title })}
          aria-pressed={isListening}
          className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
          onClick={() => setListening(!isListening)}
          onBlur={() => setListening(false)}
          onKeyDown={press}
        >
          <Keyboard size={14} aria-hidden /> {t(isListening ? 'keys.press' : 'keys.change')}
        </Button>
      </div>
      {conflict && (
        <p
          role="alert"
          className="my-1 flex flex-wrap items-center gap-2 rounded-md bg-warn-soft p-2 text-xs text-warn"
        >
          {t('keys.conflict', { key: keyLabel(conflict.key), command: conflict.with.title })}
          <Button
            small
            onClick={() => {
              chooseKey(id, conflict.key, conflict.with);
              setConflict(undefined);
            }}
          >
            {t('keys.take')}
          </Button>
          <Button small look="quiet" onClick={() => setConflict(undefined)}>
            {t('keys.leave')}
          </Button>
        </p>
      )}
    </li>
  );
}
