import { FileDiff } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { ContextChange } from '../api/types.ts';
import { Fold } from '../blocks/fold.tsx';
import { useFold } from '../blocks/folds.ts';
import { prettyJson } from '../blocks/json-text.ts';
import { ChangesView } from '../inspector/changes-view.tsx';
import { wordDiff } from '../inspector/word-diff.ts';

/** Above the answer to a request that had another system text, other tools or a shortened history than the one before. */
export function ContextNote({ change }: { readonly change: ContextChange }) {
  const [isOpen, toggle] = useFold(change.node, 'context');
  const { system, tools, compacted } = change;
  return (
    <Fold
      label="Change of context"
      isOpen={isOpen}
      onToggle={toggle}
      summary={
        <>
          <FileDiff size={14} aria-hidden className="shrink-0 text-accent" />
          <span className="min-w-0">{changeInWords(change)}</span>
        </>
      }
    >
      <div className="flex max-h-96 flex-col gap-3 overflow-y-auto p-3">
        {system && <Difference title="System text" {...system} />}
        {tools && <Difference title="Tools" before={prettyJson(tools.before)} after={prettyJson(tools.after)} />}
        {compacted?.replacement && (
          <Part title={`Sent in place of ${messagesInWords(compacted.messages)}`}>
            <p className="text-sm break-words whitespace-pre-wrap">{compacted.replacement}</p>
          </Part>
        )}
      </div>
    </Fold>
  );
}

function changeInWords({ system, tools, compacted }: ContextChange): string {
  const said: string[] = [];
  if (system && tools) said.push('The system text and the tools changed here');
  else if (system) said.push('The system text changed here');
  else if (tools) said.push('The tools changed here');
  if (compacted) {
    const how = compacted.replacement === '' ? 'were not sent any more' : 'went out as a summary';
    said.push(`From here on, ${messagesInWords(compacted.messages)} ${how}`);
  }
  return said.join('. ');
}

function messagesInWords(count: number): string {
  return count === 1 ? 'the first message' : `the first ${count} messages`;
}

function Difference({
  title,
  before,
  after,
}: {
  readonly title: string;
  readonly before: string;
  readonly after: string;
}) {
  const changes = useMemo(() => wordDiff(before, after), [before, after]);
  return (
    <Part title={title}>
      <ChangesView changes={changes} />
    </Part>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-xs font-medium text-soft">{title}</h3>
      {children}
    </section>
  );
}
