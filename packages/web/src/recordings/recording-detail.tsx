import { useQuery } from '@tanstack/react-query';
import { CornerDownRight, RotateCw, Split, X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { navigate } from '../api/base.ts';
import { api, unwrap } from '../api/client.ts';
import { recordingQuery } from '../api/recordings.ts';
import type { Recording } from '../api/types.ts';
import { TextView } from '../inspector/text-view.tsx';
import { toAddress } from '../state/address.ts';
import { showGeneration } from '../state/live.ts';
import { Button, buttonLook, IconButton } from '../ui/button.tsx';
import { bytes, duration, money, shortNumber, totalTokens } from '../ui/format.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { toastError } from '../ui/toasts.tsx';
import { LANGUAGE, t } from '../words/words.ts';
import { GatewaySummary, LostBetween } from './gateway-side.tsx';
import { describePlacement, elapsedMs, OutcomeBadge, placedNode } from './outcome.tsx';
import { RecordedMessages } from './recorded-messages.tsx';

const MESSAGES = { tab: 'messages', title: t('recordings.tab-messages') } as const;

const TABS = [
  { tab: 'request', title: t('recordings.tab-request') },
  { tab: 'response', title: t('recordings.tab-response') },
  { tab: 'headers', title: t('recordings.tab-headers') },
] as const;

/** An exchange of the gateway has two sides, and something between them. */
const GATEWAY_TABS = [
  { tab: 'request', title: t('recordings.tab-request') },
  { tab: 'sent', title: t('recordings.tab-sent') },
  { tab: 'lost', title: t('recordings.tab-lost') },
  { tab: 'got', title: t('recordings.tab-got') },
  { tab: 'response', title: t('recordings.tab-response') },
  { tab: 'headers', title: t('recordings.tab-headers') },
] as const;

const useRecording = (id: string) => useQuery(recordingQuery(id));

/** One recorded call: how it reads, and the exact texts of request and response. */
export function RecordingDetail({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { data, isPending, error, refetch } = useRecording(id);
  const [chosen, setChosen] = useState<TabName>();
  if (isPending) return <Loading lines={8} />;
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  const { recording, upstream } = data;
  const tabs = [...(placedNode(recording) === undefined ? [] : [MESSAGES]), ...(upstream ? GATEWAY_TABS : TABS)];
  const tab = tabs.find((one) => one.tab === chosen)?.tab ?? tabs[0]!.tab;
  return (
    <div className="flex h-full flex-col">
      <Head recording={recording} onClose={onClose} />
      <Tabs
        label={t('recordings.tabs')}
        tabs={tabs}
        selected={tab}
        onSelect={setChosen}
        className="flex min-h-0 grow flex-col"
        panelClassName="overflow-y-auto"
      >
        <TabContent tab={tab} {...data} />
      </Tabs>
    </div>
  );
}

type Data = NonNullable<ReturnType<typeof useRecording>['data']>;
type TabName = (typeof MESSAGES | (typeof TABS)[number] | (typeof GATEWAY_TABS)[number])['tab'];

function TabContent({ tab, recording, request, response, upstream }: Data & { readonly tab: TabName }) {
  const landed = placedNode(recording);
  switch (tab) {
    case 'messages':
      return (
        landed !== undefined && (
          <RecordedMessages node={landed} {...(recording.landing?.parent && { from: recording.landing.parent })} />
        )
      );
    case 'request':
      return <Body label={t('recordings.request-body')} body={request} />;
    case 'response':
      return <Body label={t('recordings.response-body')} body={response} />;
    case 'sent':
      return <Body label={t('recordings.sent-body')} body={upstream?.request} />;
    case 'lost':
      return recording.upstream && <LostBetween upstream={recording.upstream} />;
    case 'got':
      return <Body label={t('recordings.got-body')} body={upstream?.response} />;
    case 'headers':
      return <HeaderTable request={recording.requestHeaders} response={recording.responseHeaders ?? {}} />;
  }
}

type BodyBytes = { readonly text: string } | { readonly base64: string };

function Body({ label, body }: { readonly label: string; readonly body: BodyBytes | undefined }) {
  if (body === undefined) return <Empty title={t('recordings.not-stored')} />;
  const text = 'text' in body ? body.text : body.base64;
  if (text === '') return <Empty title={t('recordings.empty')} />;
  return (
    <TextView key={label} label={label} text={text} facts={'base64' in body && <span>{t('recordings.base64')}</span>} />
  );
}

/** Asks the same again of the same model, and shows both answers side by side. */
async function sendAgain({ landing, provider, model, upstream }: Recording): Promise<void> {
  const asked = upstream ?? { provider, model };
  try {
    const generation = await unwrap(
      api.generations.$post({
        json: {
          node: landing!.parent!,
          again: true,
          ...(landing?.thread !== undefined && { thread: landing.thread }),
          ...(asked.provider !== undefined &&
            asked.model !== undefined && { model: `${asked.provider}/${asked.model}` }),
        },
      }),
    );
    showGeneration(generation);
    navigate(`/compare?nodes=${[landing?.node, `g-${generation.id}`].filter(Boolean).join()}`);
  } catch (error) {
    toastError(error);
  }
}

function Head({ recording, onClose }: { readonly recording: Recording; readonly onClose: () => void }) {
  const { method, host, path, query, model, provider, start, firstByte, responseBytes, usage, cost, upstream } =
    recording;
  const { error, truncated, redacted } = recording;
  const landed = placedNode(recording);
  const time = elapsedMs(recording);
  const facts = [
    [t('recordings.model'), model],
    [t('recordings.provider'), upstream ? undefined : provider],
    [t('recordings.started'), new Date(start).toLocaleString(LANGUAGE)],
    [t('recordings.first-byte'), firstByte !== undefined && duration(firstByte - start)],
    [t('recordings.whole-answer'), time !== undefined && duration(time)],
    [t('recordings.size'), responseBytes !== undefined && bytes(responseBytes)],
    [t('recordings.column-tokens'), usage && shortNumber(totalTokens(usage))],
    [t('recordings.column-cost'), cost !== undefined && money(cost)],
    [t('recordings.placement'), describePlacement(recording)],
  ] as const;
  return (
    <header className="flex shrink-0 flex-col gap-2 border-b border-line p-3">
      <div className="flex items-center gap-2">
        <OutcomeBadge recording={recording} />
        <h2 className="min-w-0 grow truncate font-semibold">{recording.prompt || (model ?? path)}</h2>
        <IconButton label={t('recordings.close')} keys="Escape" onClick={onClose}>
          <X size={16} />
        </IconButton>
      </div>
      <p className="font-mono text-xs break-all text-soft">
        {method} {host}
        {path}
        {query ? `?${query}` : ''}
      </p>
      <GatewaySummary recording={recording} />
      {landed !== undefined && (
        <div className="flex flex-wrap gap-2">
          <Link href={toAddress(recording.landing?.thread, landed)} className={buttonLook('plain', true)}>
            <CornerDownRight size={14} aria-hidden />
            {t('recordings.open-conversation')}
          </Link>
          {recording.landing?.parent !== undefined && (
            <>
              <Button small onClick={() => void sendAgain(recording)}>
                <RotateCw size={14} aria-hidden /> {t('recordings.again')}
              </Button>
              <Link href={`/compare?nodes=${landed}`} className={buttonLook('plain', true)}>
                <Split size={14} aria-hidden /> {t('recordings.elsewhere')}
              </Link>
            </>
          )}
        </div>
      )}
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
      {truncated && <p className="text-xs text-warn">{t('recordings.truncated')}</p>}
      {redacted && <p className="text-xs text-warn">{t('recordings.redacted')}</p>}
    </header>
  );
}

type Headers = Readonly<Record<string, string>>;

/** The stored headers. Credentials are never stored. */
function HeaderTable({ request, response }: { readonly request: Headers; readonly response: Headers }) {
  if (Object.keys(request).length + Object.keys(response).length === 0)
    return <Empty title={t('recordings.no-headers')} />;
  return (
    <div className="flex flex-col gap-4 p-3">
      <List title={t('recordings.headers-request')} headers={request} />
      <List title={t('recordings.headers-response')} headers={response} />
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
