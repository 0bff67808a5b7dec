import { Tabs } from '@base-ui/react/tabs';
import { useQuery } from '@tanstack/react-query';
import { CornerDownRight, X } from 'lucide-react';
import { Link } from 'wouter';
import { recordingQuery } from '../api/recordings.ts';
import type { Recording } from '../api/types.ts';
import { TextView } from '../inspector/text-view.tsx';
import { toAddress } from '../state/address.ts';
import { buttonLook, IconButton } from '../ui/button.tsx';
import { bytes, duration, money, shortNumber, totalTokens } from '../ui/format.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { TabList } from '../ui/tabs.tsx';
import { GatewaySummary, LostBetween } from './gateway-side.tsx';
import { describePlacement, elapsedMs, OutcomeBadge, placedNode } from './outcome.tsx';

const TABS = [
  { tab: 'request', title: 'Request' },
  { tab: 'response', title: 'Response' },
  { tab: 'headers', title: 'Headers' },
] as const;

/** An exchange of the gateway has two sides, and something between them. */
const GATEWAY_TABS = [
  { tab: 'request', title: 'Request' },
  { tab: 'sent', title: 'Sent on' },
  { tab: 'lost', title: 'Lost' },
  { tab: 'got', title: 'Got back' },
  { tab: 'response', title: 'Response' },
  { tab: 'headers', title: 'Headers' },
] as const;

const PANEL = 'min-h-0 grow overflow-y-auto outline-offset-[-2px]';

/** One recorded call with the exact texts of request and response. */
export function RecordingDetail({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { data, isPending, error, refetch } = useQuery(recordingQuery(id));
  if (isPending) return <Loading lines={8} />;
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  const { recording, request, response, upstream } = data;
  return (
    <div className="flex h-full flex-col">
      <Head recording={recording} onClose={onClose} />
      <Tabs.Root defaultValue="response" className="flex min-h-0 grow flex-col">
        <TabList label="Parts of the recording" tabs={upstream ? GATEWAY_TABS : TABS} />
        <Tabs.Panel value="request" className={PANEL}>
          <Body label="Request body" body={request} />
        </Tabs.Panel>
        <Tabs.Panel value="response" className={PANEL}>
          <Body label="Response body" body={response} />
        </Tabs.Panel>
        {upstream && recording.upstream && (
          <>
            <Tabs.Panel value="sent" className={PANEL}>
              <Body label="Body sent to the provider" body={upstream.request} />
            </Tabs.Panel>
            <Tabs.Panel value="lost" className={PANEL}>
              <LostBetween upstream={recording.upstream} />
            </Tabs.Panel>
            <Tabs.Panel value="got" className={PANEL}>
              <Body label="Body of the provider" body={upstream.response} />
            </Tabs.Panel>
          </>
        )}
        <Tabs.Panel value="headers" className={PANEL}>
          <HeaderTable request={recording.requestHeaders} response={recording.responseHeaders ?? {}} />
        </Tabs.Panel>
      </Tabs.Root>
    </div>
  );
}

type BodyBytes = { readonly text: string } | { readonly base64: string };

function Body({ label, body }: { readonly label: string; readonly body: BodyBytes | undefined }) {
  if (body === undefined) return <Empty title="It was not stored" />;
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
  const { method, host, path, query, model, provider, start, firstByte, responseBytes, usage, cost, upstream } =
    recording;
  const { error, truncated, redacted } = recording;
  const landed = placedNode(recording);
  const time = elapsedMs(recording);
  const facts = [
    ['Provider', upstream ? undefined : provider],
    ['Started', new Date(start).toLocaleString('en')],
    ['First byte', firstByte !== undefined && duration(firstByte - start)],
    ['Whole answer', time !== undefined && duration(time)],
    ['Size', responseBytes !== undefined && bytes(responseBytes)],
    ['Tokens', usage && shortNumber(totalTokens(usage))],
    ['Cost', cost !== undefined && money(cost)],
    ['Placement', describePlacement(recording)],
  ] as const;
  return (
    <header className="flex shrink-0 flex-col gap-2 border-b border-line p-3">
      <div className="flex items-center gap-2">
        <OutcomeBadge recording={recording} />
        <h2 className="min-w-0 grow truncate font-semibold">{model ?? path}</h2>
        {landed !== undefined && (
          <Link href={toAddress(recording.landing?.thread, landed)} className={buttonLook('plain', true)}>
            <CornerDownRight size={14} aria-hidden />
            Open in the conversation
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
      <GatewaySummary recording={recording} />
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
      {truncated && (
        <p className="text-xs text-warn">Some of its bytes were not stored: the store failed, or was too slow.</p>
      )}
      {redacted && <p className="text-xs text-warn">It contained a key, which was removed before storing.</p>}
    </header>
  );
}

type Headers = Readonly<Record<string, string>>;

/** The stored headers. Credentials are never stored. */
function HeaderTable({ request, response }: { readonly request: Headers; readonly response: Headers }) {
  if (Object.keys(request).length + Object.keys(response).length === 0) return <Empty title="No headers were stored" />;
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
