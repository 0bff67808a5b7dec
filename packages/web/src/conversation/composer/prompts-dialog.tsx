import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { type Prompt, removePrompt, savePrompt } from '../../api/library.ts';
import { queries } from '../../api/queries.ts';
import { oneLine } from '../../blocks/summary.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failed } from '../../ui/states.tsx';
import { toastError } from '../../ui/toasts.tsx';
import { t, tx } from '../../words/words.ts';
import { fillVariables, listVariables, promptName } from './prompts.ts';

/** An example of a variable. */
const VARIABLE = '{{words}}';

interface FillDialogProps {
  readonly prompt: Prompt;
  readonly onFilled: (text: string) => void;
  readonly onClose: () => void;
}

/** Asks for the variables of a prompt. */
export function FillDialog({ prompt, onFilled, onClose }: FillDialogProps) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  return (
    <Dialog
      open
      onClose={onClose}
      title={`/${prompt.name}`}
      action={
        <Button look="primary" onClick={() => onFilled(fillVariables(prompt.text, values))}>
          {t('composer.prompt-use')}
        </Button>
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          onFilled(fillVariables(prompt.text, values));
        }}
      >
        {listVariables(prompt.text).map((name) => (
          <label key={name} className="flex flex-col gap-1 text-xs font-medium text-soft">
            {name}
            <textarea
              rows={1}
              value={values[name] ?? ''}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.shiftKey) return;
                event.preventDefault();
                event.currentTarget.form?.requestSubmit();
              }}
              className="field-sizing-content max-h-40 min-h-8 resize-none rounded-md border border-line bg-page px-2 py-1 text-sm font-normal text-ink"
            />
          </label>
        ))}
        <p className="max-h-40 overflow-y-auto rounded-lg bg-sunken p-3 text-sm whitespace-pre-wrap text-soft">
          {fillVariables(prompt.text, values)}
        </p>
        <button type="submit" hidden aria-label={t('composer.prompt-use')} />
      </form>
    </Dialog>
  );
}

/** The library of prompts: written, changed and removed. */
export function PromptsDialog({ onClose }: { readonly onClose: () => void }) {
  const { data, error, refetch } = useQuery(queries.library());
  const prompts = data?.prompts ?? [];
  const [editing, setEditing] = useState<{ readonly before?: string; readonly prompt: Prompt }>();
  if (editing)
    return (
      <EditDialog
        {...editing}
        onDone={() => setEditing(undefined)}
        isTaken={(name) => name !== editing.before && prompts.some((one) => one.name === name)}
      />
    );
  return (
    <Dialog open wide onClose={onClose} title={t('composer.prompts')}>
      <p className="mb-3 text-sm text-soft">
        {tx('composer.prompts-about', { variable: <code className="font-mono">{VARIABLE}</code> })}
      </p>
      {error && <Failed error={error} onRetry={() => void refetch()} />}
      <ul
        aria-label={t('composer.prompts')}
        className="mb-3 divide-y divide-line rounded-lg border border-line empty:hidden"
      >
        {prompts.map((prompt) => (
          <li key={prompt.name} className="flex items-center gap-2 py-1.5 pr-1.5 pl-3">
            <span className="shrink-0 font-mono text-xs text-accent">/{prompt.name}</span>
            <span className="min-w-0 grow truncate text-xs text-soft">{oneLine(prompt.text, 120)}</span>
            <IconButton
              label={t('composer.prompt-change', { name: prompt.name })}
              onClick={() => setEditing({ before: prompt.name, prompt })}
            >
              <Pencil size={14} />
            </IconButton>
            <IconButton
              label={t('composer.remove', { name: prompt.name })}
              onClick={() => void removePrompt(prompt.name).catch(toastError)}
            >
              <Trash2 size={14} />
            </IconButton>
          </li>
        ))}
      </ul>
      <Button onClick={() => setEditing({ prompt: { name: '', text: '' } })}>
        <Plus size={14} aria-hidden /> {t('composer.prompt-new')}
      </Button>
    </Dialog>
  );
}

interface EditDialogProps {
  readonly before?: string;
  readonly prompt: Prompt;
  readonly onDone: () => void;
  readonly isTaken: (name: string) => boolean;
}

function EditDialog({ before, prompt, onDone, isTaken }: EditDialogProps) {
  const [name, setName] = useState(prompt.name);
  const [text, setText] = useState(prompt.text);
  const written = promptName(name);
  const canSave = written !== '' && text.trim() !== '' && !isTaken(written);
  const save = () => {
    if (!canSave) return;
    // What was written stays on screen until it is stored.
    savePrompt({ name: written, text }, before).then(onDone, toastError);
  };
  return (
    <Dialog
      open
      wide
      onClose={onDone}
      title={before === undefined ? t('composer.prompt-new') : t('composer.prompt-change-title', { before })}
      action={
        <Button look="primary" disabled={!canSave} onClick={save}>
          {t('composer.prompt-save')}
        </Button>
      }
    >
      <label className="mb-3 flex flex-col gap-1 text-xs font-medium text-soft">
        {t('composer.prompt-name')}
        <input
          value={name}
          maxLength={60}
          onChange={(event) => setName(event.target.value)}
          className="h-8 rounded-md border border-line bg-page px-2 text-sm font-normal text-ink"
        />
        {isTaken(written) && <span className="text-danger">{t('composer.prompt-name-taken')}</span>}
      </label>
      <label className="flex flex-col gap-1 text-xs font-medium text-soft">
        {t('composer.prompt-text', { variable: VARIABLE })}
        <textarea
          rows={8}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="rounded-md border border-line bg-page p-2 text-sm font-normal text-ink"
        />
      </label>
    </Dialog>
  );
}
