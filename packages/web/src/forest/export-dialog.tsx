import { Download } from 'lucide-react';
import { useId, useState } from 'react';
import { type ExportOf, useOverlays } from '../state/overlays.ts';
import { Button, buttonLook } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ChoiceField } from '../ui/field.tsx';
import { counted } from '../ui/format.ts';
import { toastError } from '../ui/toasts.tsx';
import { useDialectChoices } from './dialect-choices.ts';
import { type ExportFormat, exportAddresses, FORMATS, fileName, needsDialect } from './export-address.ts';
import { saveJoined } from './save-joined.ts';

const close = () => useOverlays.setState({ exporting: undefined });

/** In what form something is to be taken along. */
export function ExportDialog() {
  const of = useOverlays((overlays) => overlays.exporting);
  return of && <Choices of={of} />;
}

function titleOf(of: ExportOf): string {
  if (of.kind === 'everything') return 'Export the whole forest';
  if (of.kind === 'threads') return `Export ${counted(of.ids.length, 'conversation')}`;
  return of.kind === 'node' ? 'Export one message' : `Export “${of.title || 'Untitled'}”`;
}

function Choices({ of }: { readonly of: ExportOf }) {
  const [format, setFormat] = useState<ExportFormat>('segments');
  const choices = useDialectChoices();
  const [chosen, setDialect] = useState<string>();
  const dialect = chosen ?? choices[0]?.value ?? '';
  const group = useId();
  const addresses = exportAddresses(of, format, dialect);
  const name = fileName(of, format);
  return (
    <Dialog
      open
      onClose={close}
      title={titleOf(of)}
      action={
        of.kind === 'threads' ? (
          <Button look="primary" onClick={() => saveJoined(addresses, name).then(close, toastError)}>
            <Download size={14} aria-hidden />
            Download
          </Button>
        ) : (
          <a href={addresses[0]} download={name} onClick={close} className={buttonLook('primary')}>
            <Download size={14} aria-hidden />
            Download
          </a>
        )
      }
    >
      <fieldset className="flex flex-col gap-1">
        <legend className="sr-only">Format</legend>
        {FORMATS.map(({ format: one, title, about }) => (
          <label
            key={one}
            className={`flex cursor-pointer gap-3 rounded-md border p-2 ${one === format ? 'border-accent bg-accent-soft' : 'border-line hover:bg-hover'}`}
          >
            <input
              type="radio"
              name={group}
              checked={one === format}
              onChange={() => setFormat(one)}
              className="mt-1 accent-accent"
            />
            <span>
              <span className="font-medium">{title}</span>
              <span className="block text-xs text-soft">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {needsDialect(format) && (
        <div className="mt-3 flex items-center gap-2">
          <span aria-hidden>Dialect</span>
          <ChoiceField label="Dialect" choices={choices} value={dialect} onChoose={setDialect} />
        </div>
      )}
    </Dialog>
  );
}
