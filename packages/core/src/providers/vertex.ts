/** Google's Vertex AI: the models of Anthropic and Google in their own protocols, at the addresses of a project and a region. */
import { anthropic } from '../dialects/anthropic-messages/provider.ts';
import { google } from '../dialects/google-generatecontent/provider.ts';
import type { Connection, ProviderDescriptor } from '../dialects/provider.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const PROJECTS = ['ANTHROPIC_VERTEX_PROJECT_ID', 'GOOGLE_CLOUD_PROJECT', 'GCLOUD_PROJECT'];
const REGIONS = ['GOOGLE_CLOUD_LOCATION', 'CLOUD_ML_REGION', 'GOOGLE_CLOUD_REGION'];

const first = (env: Environment, names: readonly string[]): string | undefined =>
  names.map((name) => env[name]?.trim()).find(Boolean);

/** The host of a region: `global`, and the multi-regions `us` and `eu`, have hosts of their own form. */
function hostOf(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  return /^(?:us|eu)$/.test(region) ? `aiplatform.${region}.rep.googleapis.com` : `${region}-aiplatform.googleapis.com`;
}

/** The address in a project and a region; without a project it is refused there, and the answer says why. */
function locate(
  version: string,
  publisher: string,
  path: string,
  streamPath: string,
): NonNullable<Connection['locate']> {
  return (env) => {
    const region = first(env, REGIONS) ?? 'global';
    const place = `/${version}/projects/${first(env, PROJECTS) ?? '-'}/locations/${region}/publishers/${publisher}`;
    return { baseUrl: `https://${hostOf(region)}`, path: `${place}${path}`, streamPath: `${place}${streamPath}` };
  };
}

const HOSTS = /^(?:[a-z0-9-]+-)?aiplatform(?:\.(?:us|eu)\.rep)?\.googleapis\.com$/;

/** Tokens of a Google account, which a signer gets; a token that is given is used as it is. */
const ACCESS = {
  auth: [{ header: 'authorization', value: 'Bearer {key}' }],
  keyVariables: ['GOOGLE_CLOUD_ACCESS_TOKEN'],
  signer: 'google-auth',
  // A program in Google's cloud has credentials without a variable, but it names the project.
  credentialVariables: ['GOOGLE_APPLICATION_CREDENTIALS', ...PROJECTS],
} as const;

/** Gemini on Vertex AI. */
export const vertex: ProviderDescriptor = {
  ...google,
  id: 'vertex',
  aliases: ['google-vertex'],
  names: { otel: 'gcp.vertex_ai', prices: 'google' },
  issuer: 'aiplatform.googleapis.com',
  apiVersion: 'v1beta1',
  hosts: HOSTS,
  connection: {
    ...ACCESS,
    baseUrl: 'https://aiplatform.googleapis.com',
    path: '/{apiVersion}/publishers/google/models/{model}:generateContent',
    streamPath: '/{apiVersion}/publishers/google/models/{model}:streamGenerateContent?alt=sse',
    locate: locate(
      'v1beta1',
      'google',
      '/models/{model}:generateContent',
      '/models/{model}:streamGenerateContent?alt=sse',
    ),
    baseUrlVariables: ['GOOGLE_VERTEX_BASE_URL'],
  },
};

/** Claude on Vertex AI: whether to stream stays in the body, the model goes into the address. */
export const vertexAnthropic: ProviderDescriptor = {
  ...anthropic,
  id: 'vertex-anthropic',
  aliases: ['vertex-claude'],
  names: { otel: 'gcp.vertex_ai', prices: 'google' },
  issuer: 'aiplatform.googleapis.com/anthropic',
  apiVersion: 'vertex-2023-10-16',
  hosts: HOSTS,
  connection: {
    ...ACCESS,
    baseUrl: 'https://aiplatform.googleapis.com',
    path: '/v1/publishers/anthropic/models/{model}:rawPredict',
    locate: locate('v1', 'anthropic', '/models/{model}:rawPredict', '/models/{model}:streamRawPredict'),
    baseUrlVariables: ['ANTHROPIC_VERTEX_BASE_URL'],
  },
  policies: {
    ...anthropic.policies,
    quirks: { ...anthropic.policies.quirks, inAddress: { default: 'model' } },
  },
};
