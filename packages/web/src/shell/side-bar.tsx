import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { queries } from '../api/queries.ts';

/** The forest at a glance. */
export function SideBar() {
  const threads = useQuery(queries.threads());
  return (
    <nav aria-label="Forest" className="w-64 shrink-0 overflow-y-auto border-r border-line bg-page p-2">
      <ul>
        {threads.data?.items.map(({ id, head, title }) => (
          <li key={id}>
            <Link href={`/c/${head}`} className="block truncate rounded px-2 py-1 hover:bg-hover">
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
