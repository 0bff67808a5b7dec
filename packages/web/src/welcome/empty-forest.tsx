import { TreePine } from 'lucide-react';
import { Link } from 'wouter';
import { Empty } from '../ui/states.tsx';

/** Before there is any conversation. */
export function EmptyForest() {
  return (
    <Empty title="No conversations yet" icon={<TreePine size={28} aria-hidden />}>
      <p>
        <Link href="/new" className="font-medium text-accent hover:underline">
          Start one
        </Link>
        , drop an export of ChatGPT or Claude here, or{' '}
        <Link href="/recordings" className="font-medium text-accent hover:underline">
          point a client at the proxy
        </Link>
        .
      </p>
    </Empty>
  );
}
