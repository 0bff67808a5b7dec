import { useState } from 'react';
import { type ImportJob, importAgain } from '../state/imports.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceField } from '../ui/field.tsx';
import { useDialectChoices } from './dialect-choices.ts';

const FORMATS = [
  { value: '', title: 'Find out' },
  { value: 'messages', title: 'A list of messages' },
  { value: 'message-list', title: 'A saved message list' },
  { value: 'chat-state', title: 'A saved chat state' },
  { value: 'fine-tuning', title: 'Fine-tuning lines' },
  { value: 'chatgpt', title: 'ChatGPT export' },
  { value: 'claude', title: 'Claude export' },
  { value: 'ui-messages', title: 'AI SDK messages' },
  { value: 'langchain', title: 'LangChain messages' },
  { value: 'segments', title: 'Segments of Skein' },
] as const;

/** Why nothing came in. A file that does not say what it is can be told. */
export function ImportFailed({ job }: { readonly job: ImportJob }) {
  const [format, setFormat] = useState('');
  const [dialect, setDialect] = useState('');
  const choices = useDialectChoices();
  const { error, source } = job;
  const [first, rest] = sentences(error instanceof Error ? error.message : String(error));
  const hints = { ...(format && { format }), ...(dialect && { dialect }) };
  return (
    <div className="mt-1 text-sm">
      <p role="alert" className="break-words text-danger">
        {first}
      </p>
      {rest && (
        <details className="text-xs text-soft">
          <summary>More about it</summary>
          <p className="mt-1 break-words">{rest}</p>
        </details>
      )}
      <div className="mt-2 flex flex-wrap gap-2">
        {source.kind === 'file' && (
          <>
            <ChoiceField label="What the file is" choices={FORMATS} value={format} onChoose={setFormat} />
            <ChoiceField
              label="What its messages are written in"
              choices={[
                { value: '', title: 'Dialect: as it says' },
                { value: 'legacy', title: 'Older shape' },
                ...choices,
              ]}
              value={dialect}
              onChoose={setDialect}
            />
          </>
        )}
        <Button onClick={() => importAgain(job, hints)}>Try again</Button>
      </div>
    </div>
  );
}

/** The first sentence, and what comes behind it. */
function sentences(text: string): readonly [string, string] {
  const end = text.search(/\. [A-Z]/);
  return end < 0 ? [text, ''] : [text.slice(0, end + 1), text.slice(end + 2)];
}
