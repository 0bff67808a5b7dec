import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';
import { Asked } from './asked.tsx';

/** Where everything is kept, which release this is, and what is wrong. */
export function AboutSection() {
  const settings = useQuery(queries.settings());
  const version = useQuery(queries.version());
  const health = useQuery(queries.health());
  return (
    <>
      <Asked query={settings}>
        {({ project, store, presets }) => (
          <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 rounded-lg border border-line bg-surface p-3">
            <Fact name="Project" value={project} />
            <Fact name="Store" value={store} />
            <Fact name="Presets" value={Object.keys(presets).join(', ') || 'none'} />
            <Fact name="Release" value={version.data?.version ?? ''} />
            <Fact name="API" value={version.data?.api ?? ''} />
          </dl>
        )}
      </Asked>
      <h3 className="mt-4 mb-1 font-medium">Problems</h3>
      <Asked query={health}>
        {({ problems }) =>
          problems.length === 0 ? (
            <p className="text-ok">None. The store and the recording are well.</p>
          ) : (
            <ul className="flex flex-col gap-1">
              {problems.map((problem) => (
                <li key={problem} className="rounded-md bg-warn-soft p-2 break-words text-warn">
                  {problem}
                </li>
              ))}
            </ul>
          )
        }
      </Asked>
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
