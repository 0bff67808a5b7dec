import { anthropic } from '../anthropic-messages/provider.ts';
import type { ProviderDescriptor } from '../provider.ts';
import type { Framing } from '../stream.ts';
import { awsEventStream, decodeFrames, rewriteFrames } from './event-stream.ts';
import { bedrock, bedrockConnection } from './provider.ts';

/** Each frame holds one event of the model's own API as `{"bytes": base64}`; one without a type keeps the connection open. */
const invokeStream: Framing = {
  contentTypes: awsEventStream.contentTypes,
  isBinary: true,
  split: (onEvent) =>
    decodeFrames(({ event, data }) => {
      if (event !== 'chunk') return onEvent('error', errorText(event, data));
      const inner = innerEvent(data);
      const { type } = inner === undefined ? {} : (readObject(inner) ?? {});
      if (typeof type === 'string') onEvent(type, inner!);
    }),
  rewrite: (body, change) =>
    rewriteFrames(body, (text) => {
      const inner = innerEvent(text);
      if (inner === undefined) return change(text);
      const bytes = new TextEncoder().encode(change(inner));
      return change(JSON.stringify({ ...readObject(text), bytes: btoa(String.fromCharCode(...bytes)) }));
    }),
};

/** An exception as the model's own API would write it inside a stream. */
function errorText(event: string | undefined, data: string): string {
  const { message = data } = readObject(data) ?? {};
  return JSON.stringify({ type: 'error', error: { type: event ?? 'unknown', message } });
}

function innerEvent(data: string): string | undefined {
  const { bytes } = readObject(data) ?? {};
  if (typeof bytes !== 'string') return undefined;
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The models of Anthropic by `InvokeModel`: their own API in the address and the frames of Bedrock. */
export const bedrockInvoke: ProviderDescriptor = {
  ...anthropic,
  id: 'bedrock-invoke',
  issuer: bedrock.issuer,
  names: bedrock.names!,
  apiVersion: 'bedrock-2023-05-31',
  hosts: bedrock.hosts!,
  connection: {
    ...bedrockConnection,
    path: '/model/{model}/invoke',
    streamPath: '/model/{model}/invoke-with-response-stream',
    baseUrlVariables: ['ANTHROPIC_BEDROCK_BASE_URL', ...bedrockConnection.baseUrlVariables],
  },
  endpoints: [
    { operation: 'ask', method: 'POST', path: /\/model\/(?<model>[^/]+)\/invoke(?:-with-response-stream)?$/ },
  ],
  framing: invokeStream,
  policies: {
    ...anthropic.policies,
    modelAliases: [...bedrock.policies.modelAliases!, ...anthropic.policies.modelAliases!],
    quirks: {
      ...anthropic.policies.quirks,
      /** The model and whether to stream are in the address, and the version of the API is in the body. */
      inAddress: { default: 'model stream' },
    },
  },
};
