import { useQuery } from '@tanstack/react-query';
import { CircleCheck, FileX, Info, TriangleAlert } from 'lucide-react';
import { queries } from '../api/queries.ts';
import type { FileProblem } from '../api/types.ts';
import { t } from '../words/words.ts';
import { QueryView } from './query-view.tsx';

/** What is wrong: files that could not be loaded, and the store and the recording. */
export function ProblemSection() {
  const settings = useQuery(queries.settings());
  const health = useQuery(queries.health());
  return (
    <QueryView query={settings}>
      {({ problems: ofFiles }) => (
        <QueryView query={health}>
          {({ problems }) =>
            problems.length + ofFiles.length === 0 ? (
              <p className="flex items-center gap-2 text-ok">
                <CircleCheck size={16} aria-hidden className="shrink-0" /> {t('settings.no-problems')}
              </p>
            ) : (
              <ul className="flex flex-col gap-2">
                {problems.map((problem) => (
                  <li key={problem} className="flex gap-2 rounded-lg bg-warn-soft p-3 text-warn">
                    <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
                    <span className="min-w-0 break-words">{problem}</span>
                  </li>
                ))}
                {ofFiles.map((problem) => (
                  <FileProblemRow key={`${problem.file} ${problem.line} ${problem.key}`} problem={problem} />
                ))}
              </ul>
            )
          }
        </QueryView>
      )}
    </QueryView>
  );
}

function FileProblemRow({ problem: { severity, file, line, key, message, fix } }: { readonly problem: FileProblem }) {
  const isError = severity === 'error';
  const Icon = isError ? FileX : Info;
  return (
    <li
      className={`flex gap-2 rounded-lg p-3 ${isError ? 'bg-danger-soft text-danger' : 'border border-line bg-surface text-soft'}`}
    >
      <Icon size={16} aria-hidden className="mt-0.5 shrink-0" />
      <div className="min-w-0">
        <p className="font-mono text-xs break-all">
          {file}
          {line !== undefined && `:${line}`}
          {key !== '' && ` · ${key}`}
        </p>
        <p className="font-medium break-words">{isError ? t('settings.not-loaded', { why: message }) : message}</p>
        <p className="text-sm break-words">{fix}</p>
      </div>
    </li>
  );
}
