import { useQuery } from '@tanstack/react-query';
import { CornerDownRight, X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { recordingOf } from '../api/recordings.ts';
import type { Recording } from '../api/types.ts';
import { TextView } from '../inspector/text-view.tsx';
import { buttonLook, IconButton } from '../ui/button.tsx';
import { bytes, duration } from '../ui/format.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { factsOf, landedAt, landingWords, lasted } from './facts.ts';
import { HeaderTable } from './header-table.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';

type Tab = 'request' | 'response' | 'headers';
const TABS: readonly { readonly tab: Tab; readonly title: string }[] = [
  { tab: 'request', title: 'Request' },
  { tab: 'response', title: 'Response' },
  { tab: 'headers', title: 'Headers' },
];

/** One call with its exact texts. */
export function RecordingDetail({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const [tab, setTab] = useState<Tab>('response');
  const { data, isPending, error, refetch } = useQuery(recordingOf(id));
  if (isPending) return <Loading lines={8} />;
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  const { recording, request, response } = data;
  const { requestHeaders, responseHeaders } = factsOf(recording);
  return (
    <div className="flex h-full flex-col">
      <Head recording={recording} onClose={onClose} />
      <div role="tablist" aria-label="Parts of the recording" className="flex shrink-0 gap-1 border-b border-line px-3">
        {TABS.map(({ tab: one, title }) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`tab-${one}`}
            aria-selected={one === tab}
            aria-controls="recording-part"
            onClick={() => setTab(one)}
            className={`-mb-px border-b-2 px-2 py-1.5 text-sm ${one === tab ? 'border-accent font-medium' : 'border-transparent text-soft hover:text-ink'}`}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="recording-part" aria-labelledby={`tab-${tab}`} className="min-h-0 grow overflow-y-auto">
        {tab === 'request' && <Body label="Request body" body={request} />}
        {tab === 'response' && <Body label="Response body" body={response} />}
        {tab === 'headers' && <HeaderTable request={requestHeaders ?? {}} response={responseHeaders ?? {}} />}
      </div>
    </div>
  );
}

type BodyBytes = { readonly text: string } | { readonly base64: string };

function Body({ label, body }: { readonly label: string; readonly body: BodyBytes | undefined }) {
  if (body === undefined) return <Empty title="It was not kept" />;
  const text = 'text' in body ? body.text : body.base64;
  if (text === '') return <Empty title="It is empty" />;
  return (
    <TextView
      key={label}
      label={label}
      text={text}
      facts={'base64' in body && <span>not text: shown as base64</span>}
    />
  );
}

function Head({ recording, onClose }: { readonly recording: Recording; readonly onClose: () => void }) {
  const { method, host, path, model, provider, start } = recording;
  const { query, firstByte, responseBytes, error, truncated, redacted } = factsOf(recording);
  const landed = landedAt(recording);
  const time = lasted(recording);
  const facts = [
    ['Provider', provider],
    ['Started', new Date(start).toLocaleString('en')],
    ['First byte', firstByte !== undefined && duration(firstByte - start)],
    ['Whole answer', time !== undefined && duration(time)],
    ['Size', responseBytes !== undefined && bytes(responseBytes)],
    ['Landed', landingWords(recording)],
  ] as const;
  return (
    <header className="flex shrink-0 flex-col gap-2 border-b border-line p-3">
      <div className="flex items-center gap-2">
        <OutcomeBadge recording={recording} />
        <h2 className="min-w-0 grow truncate font-semibold">{model ?? path}</h2>
        {landed !== undefined && (
          <Link href={`/c/${landed}`} className={buttonLook('plain', true)}>
            <CornerDownRight size={14} aria-hidden />
            Open where it landed
          </Link>
        )}
        <IconButton label="Close the recording" keys="Escape" onClick={onClose}>
          <X size={16} />
        </IconButton>
      </div>
      <p className="font-mono text-xs break-all text-soft">
        {method} {host}
        {path}
        {query ? `?${query}` : ''}
      </p>
      <dl className="flex flex-wrap gap-x-5 gap-y-1 text-xs">
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name} className="flex gap-1.5">
                <dt className="text-faint">{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {error !== undefined && <p className="text-xs break-words text-danger">{error}</p>}
      {truncated && <p className="text-xs text-warn">Bytes of it were not kept: the store failed, or was too slow.</p>}
      {redacted && <p className="text-xs text-warn">A key stood in it and was taken out before storing.</p>}
    </header>
  );
}
