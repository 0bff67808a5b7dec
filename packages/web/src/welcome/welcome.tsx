import { Compass, KeyRound, Radio, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useView } from '../state/view.ts';
import { IconButton } from '../ui/button.tsx';
import { AddKey } from './add-key.tsx';
import { BaseAddresses } from './base-addresses.tsx';

/** On the first run, until it is put away. */
export function Welcome({ hasSamples }: { readonly hasSamples: boolean }) {
  return (
    <section aria-label="Welcome" className="relative rounded-xl border border-line bg-surface p-4 sm:p-5">
      <div className="absolute top-2 right-2">
        <IconButton label="Put the welcome away" onClick={() => useView.setState({ welcomed: true })}>
          <X size={16} />
        </IconButton>
      </div>
      <h2 className="pr-8 text-lg font-semibold">Welcome to Skein</h2>
      <p className="mt-1 max-w-2xl text-soft">
        Skein keeps conversations with models whole: every byte a provider sent, every branch you explored. Fork any
        message, ask another model, compare, and lose nothing.
      </p>
      <div className="mt-4 grid gap-3 md:grid-cols-3">
        <Card icon={<Compass size={16} aria-hidden />} title="Look around">
          {hasSamples ? (
            <>
              <p className="text-soft">
                Conversations with branches, thoughts, tool calls and several providers. They are kept apart from yours.
              </p>
              <a href="/samples" className="font-medium text-accent hover:underline">
                Open the samples
              </a>
            </>
          ) : (
            <>
              <p className="text-soft">A stand-in answers until a provider has a key.</p>
              <Link href="/new" className="font-medium text-accent hover:underline">
                Start a conversation
              </Link>
            </>
          )}
        </Card>
        <Card icon={<Radio size={16} aria-hidden />} title="Point a client here">
          <p className="text-soft">Your programs talk to their provider through Skein, and it keeps what they say.</p>
          <BaseAddresses />
        </Card>
        <Card icon={<KeyRound size={16} aria-hidden />} title="Add a key">
          <AddKey />
        </Card>
      </div>
    </section>
  );
}

function Card({
  icon,
  title,
  children,
}: {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-page p-3 text-sm">
      <h3 className="flex items-center gap-2 font-medium">
        <span className="text-accent">{icon}</span>
        {title}
      </h3>
      {children}
    </div>
  );
}
