import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { queries } from '../api/queries.ts';
import type { Provider } from '../api/types.ts';
import { IconButton } from '../ui/button.tsx';
import { CodeLine } from '../ui/copy-button.tsx';
import { Failed, Loading } from '../ui/states.tsx';
import { t } from '../words/words.ts';

/** How to point a client at the recording proxy. */
export function ConnectPanel({ onClose }: { readonly onClose?: () => void }) {
  // Its title is a heading only where it can be closed.
  const Heading = onClose ? 'h3' : 'h2';
  const { data, isPending, error, refetch } = useQuery(queries.providers());
  const [chosen, setChosen] = useState('openai');
  if (isPending) return <Loading />;
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  const all = baseAddresses(data.items);
  const main = all.filter(({ variable }) => variable);
  const others = all.filter(({ variable }) => !variable);
  const sample = SAMPLES.find(({ provider }) => provider === chosen);
  const url = all.find(({ provider }) => provider === chosen)?.url ?? '';
  return (
    <div className={`flex flex-col gap-6 ${onClose ? 'h-full overflow-y-auto p-4' : ''}`}>
      {onClose && (
        <header className="flex items-center justify-between">
          <h2 className="font-semibold">{t('recordings.connect')}</h2>
          <IconButton label={t('recordings.connect-close')} onClick={onClose}>
            <X size={16} />
          </IconButton>
        </header>
      )}
      <section className="flex flex-col gap-2">
        <Heading className="font-medium">{t('connect.variable')}</Heading>
        <p className="text-soft">{t('connect.variable-about')}</p>
        {main.map(({ provider, variable, url: address }) => (
          <CodeLine
            key={provider}
            text={`export ${variable}=${address}`}
            label={t('connect.variable-copy', { variable: variable ?? '' })}
          />
        ))}
      </section>
      <section className="flex flex-col gap-2">
        <Heading className="font-medium">{t('connect.command')}</Heading>
        <p className="text-soft">{t('connect.command-about')}</p>
        <CodeLine text="skein record -- node app.js" label={t('connect.command-copy')} />
      </section>
      <section className="flex flex-col gap-2">
        <Heading className="font-medium">{t('connect.code')}</Heading>
        <div className="flex gap-1">
          {SAMPLES.map(({ provider, title }) => (
            <button
              key={provider}
              type="button"
              aria-pressed={provider === chosen}
              onClick={() => setChosen(provider)}
              className={`rounded-md px-2 py-1 text-sm pointer-coarse:min-h-10 ${provider === chosen ? 'bg-accent-soft font-medium text-accent' : 'text-soft hover:bg-hover'}`}
            >
              {title}
            </button>
          ))}
        </div>
        {sample && <CodeLine text={sample.code(url)} label={t('connect.code-copy', { title: sample.title })} />}
      </section>
      <details>
        <summary className="font-medium">{t('connect.others')}</summary>
        <ul className="mt-2 flex flex-col gap-2">
          {others.map(({ provider, url: address }) => (
            <li key={provider}>
              <p className="mb-0.5 text-xs text-soft">{provider}</p>
              <CodeLine text={address} label={t('connect.address-copy', { provider })} />
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}

interface BaseAddress {
  readonly provider: string;
  readonly title: string;
  /** The environment variable that the SDKs of this provider read, if there is one. */
  readonly variable?: string;
  readonly url: string;
}

/** The environment variables that SDKs read, and the path that they expect after the address. */
const KNOWN: Readonly<Record<string, { readonly title: string; readonly variable: string; readonly path: string }>> = {
  openai: { title: 'OpenAI', variable: 'OPENAI_BASE_URL', path: '/v1' },
  anthropic: { title: 'Anthropic', variable: 'ANTHROPIC_BASE_URL', path: '' },
  google: { title: 'Google', variable: 'GOOGLE_GEMINI_BASE_URL', path: '' },
};

/** The base addresses for clients, those of the three large SDKs first. */
export function baseAddresses(providers: readonly Provider[]): readonly BaseAddress[] {
  const all = providers.map(({ id, proxy }): BaseAddress => {
    const known = KNOWN[id];
    if (!known) return { provider: id, title: id, url: proxy };
    return { provider: id, title: known.title, variable: known.variable, url: `${proxy}${known.path}` };
  });
  return [...all.filter(({ variable }) => variable), ...all.filter(({ variable }) => !variable)];
}

interface Sample {
  readonly provider: string;
  readonly title: string;
  code(url: string): string;
}

/** Code that sets the address instead of an environment variable. */
const SAMPLES: readonly Sample[] = [
  {
    provider: 'openai',
    title: 'OpenAI',
    code: (url) => `import OpenAI from 'openai';

const openai = new OpenAI({ baseURL: '${url}' });`,
  },
  {
    provider: 'anthropic',
    title: 'Anthropic',
    code: (url) => `import Anthropic from '@anthropic-ai/sdk';

const anthropic = new Anthropic({ baseURL: '${url}' });`,
  },
  {
    provider: 'google',
    title: 'Google',
    code: (url) => `import { GoogleGenAI } from '@google/genai';

const google = new GoogleGenAI({ httpOptions: { baseUrl: '${url}' } });`,
  },
];
