import { CopyButton } from './copy-button.tsx';

/** A line or a few of code to take along. */
export function CodeLine({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="flex items-start gap-1 rounded-md border border-line bg-sunken py-0.5 pr-0.5 pl-2">
      <pre className="min-w-0 grow py-1 font-mono text-xs leading-5 break-all whitespace-pre-wrap text-ink">
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}
