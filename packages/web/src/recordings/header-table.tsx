import { Empty } from '../ui/states.tsx';

type Headers = Readonly<Record<string, string>>;

/** What is kept of the headers: never what signs in. */
export function HeaderTable({ request, response }: { readonly request: Headers; readonly response: Headers }) {
  if (Object.keys(request).length + Object.keys(response).length === 0) return <Empty title="No headers were kept" />;
  return (
    <div className="flex flex-col gap-4 p-3">
      <List title="Request" headers={request} />
      <List title="Response" headers={response} />
    </div>
  );
}

function List({ title, headers }: { readonly title: string; readonly headers: Headers }) {
  return (
    <section>
      <h3 className="mb-1 text-xs font-semibold text-faint">{title}</h3>
      <dl className="grid grid-cols-[minmax(8rem,auto)_1fr] gap-x-4 font-mono text-xs leading-6">
        {Object.entries(headers).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
