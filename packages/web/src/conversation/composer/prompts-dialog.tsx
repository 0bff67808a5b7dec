import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { oneLine } from '../../blocks/summary.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import {
  fillVariables,
  listVariables,
  type Prompt,
  promptName,
  removePrompt,
  savePrompt,
  usePrompts,
} from './prompts.ts';

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
          Use
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
        <button type="submit" hidden aria-label="Use" />
      </form>
    </Dialog>
  );
}

/** The library of prompts: written, changed and removed. */
export function PromptsDialog({ onClose }: { readonly onClose: () => void }) {
  const { prompts } = usePrompts();
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
    <Dialog open wide onClose={onClose} title="Prompts">
      <p className="mb-3 text-sm text-soft">
        Type / and a name in an empty message to use one. {'{{words}}'} in braces are asked for. They are stored in this
        browser.
      </p>
      <ul aria-label="Prompts" className="mb-3 divide-y divide-line rounded-lg border border-line empty:hidden">
        {prompts.map((prompt) => (
          <li key={prompt.name} className="flex items-center gap-2 py-1.5 pr-1.5 pl-3">
            <span className="shrink-0 font-mono text-xs text-accent">/{prompt.name}</span>
            <span className="min-w-0 grow truncate text-xs text-soft">{oneLine(prompt.text, 120)}</span>
            <IconButton label={`Change ${prompt.name}`} onClick={() => setEditing({ before: prompt.name, prompt })}>
              <Pencil size={14} />
            </IconButton>
            <IconButton label={`Remove ${prompt.name}`} onClick={() => removePrompt(prompt.name)}>
              <Trash2 size={14} />
            </IconButton>
          </li>
        ))}
      </ul>
      <Button onClick={() => setEditing({ prompt: { name: '', text: '' } })}>
        <Plus size={14} aria-hidden /> New prompt
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
    savePrompt({ name: written, text }, before);
    onDone();
  };
  return (
    <Dialog
      open
      wide
      onClose={onDone}
      title={before === undefined ? 'New prompt' : `Change /${before}`}
      action={
        <Button look="primary" disabled={!canSave} onClick={save}>
          Save
        </Button>
      }
    >
      <label className="mb-3 flex flex-col gap-1 text-xs font-medium text-soft">
        Name
        <input
          value={name}
          maxLength={60}
          onChange={(event) => setName(event.target.value)}
          className="h-8 rounded-md border border-line bg-page px-2 text-sm font-normal text-ink"
        />
        {isTaken(written) && <span className="text-danger">Another prompt has this name.</span>}
      </label>
      <label className="flex flex-col gap-1 text-xs font-medium text-soft">
        Text; {'{{words}}'} in braces are asked for when it is used
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
