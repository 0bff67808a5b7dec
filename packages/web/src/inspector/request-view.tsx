import { Terminal } from 'lucide-react';
import { queries, queryClient } from '../api/queries.ts';
import type { NextRequest, Node, SentRequest } from '../api/types.ts';
import { IconButton } from '../ui/button.tsx';
import { toast, toastError } from '../ui/toasts.tsx';
import { toCurl } from './curl.ts';
import { Parting } from './parting.tsx';
import { RequestLosses } from './request-losses.tsx';
import { TextView } from './text-view.tsx';

export interface RequestViewProps {
  readonly request: SentRequest | NextRequest;
  /** The node that it is sent below. */
  readonly below: string;
  readonly before: Node | undefined;
}

export function RequestView({ request, below, before }: RequestViewProps) {
  const { body, dialect, model, provider, losses = [] } = request;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="max-h-1/2 shrink-0 overflow-y-auto">
        <Parting request={request} before={before} />
        {losses.length > 0 && <RequestLosses losses={losses} />}
      </div>
      <div className="min-h-0 grow">
        <TextView
          text={body}
          label="Request body"
          facts={
            <>
              <span className="max-w-48 truncate font-medium text-ink" title={`${provider ?? ''} ${model}`}>
                {model}
              </span>
              <span>{dialect}</span>
            </>
          }
          actions={
            <IconButton label="Copy as curl" onClick={() => void copyCurl(request, below)}>
              <Terminal size={16} />
            </IconButton>
          }
        />
      </div>
    </div>
  );
}

async function copyCurl(request: SentRequest | NextRequest, below: string): Promise<void> {
  try {
    const { url, headers } = 'headers' in request ? request : await addressOf(request, below);
    await navigator.clipboard.writeText(toCurl({ url, headers, body: request.body }));
    toast('The command is copied. Its key comes from the environment.');
  } catch (error) {
    toastError(error);
  }
}

/** Where a request went is not stored with it: it goes where the same model would be asked now. */
async function addressOf(
  { provider, model }: SentRequest,
  below: string,
): Promise<Pick<NextRequest, 'url' | 'headers'>> {
  const wish = { model: provider === undefined ? model : `${provider}/${model}` };
  return queryClient.fetchQuery(queries.nextRequest(below, wish));
}
