/** Keys and model names, which are checked before the body. */

import type { Protocol } from '../protocol.ts';
import type { ProviderError } from './errors.ts';
import type { Cloud } from './route.ts';
import type { HeaderMap } from './state.ts';

/** The violation of a rule that no judge has, with the rule's id. */
export interface Denial {
  readonly id: string;
  readonly error: ProviderError;
}

const bearer = ({ authorization = '' }: HeaderMap): string => authorization.replace(/^Bearer\s+/i, '');

export const readKey: Readonly<Record<Protocol, (headers: HeaderMap) => string>> = {
  'anthropic-messages': (headers) => headers['x-api-key'] || bearer(headers),
  // Azure has a header of its own.
  'openai-chat': (headers) => bearer(headers) || (headers['api-key'] ?? ''),
  'openai-responses': (headers) => bearer(headers) || (headers['api-key'] ?? ''),
  'google-generatecontent': (headers) => headers['x-goog-api-key'] || bearer(headers),
  'bedrock-converse': bearer,
  'cohere-chat': bearer,
  'google-interactions': (headers) => headers['x-goog-api-key'] || bearer(headers),
};

const openAIMissing: ProviderError = {
  status: 401,
  message:
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the API from your browser and are prompted for a username and password. You can obtain an API key from https://platform.openai.com/account/api-keys.",
};

const googleMissing: ProviderError = {
  status: 403,
  message:
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
};

const missing: Readonly<Record<Protocol, ProviderError>> = {
  'anthropic-messages': { status: 401, message: 'x-api-key header is required' },
  'openai-chat': openAIMissing,
  'openai-responses': openAIMissing,
  'google-generatecontent': googleMissing,
  'google-interactions': googleMissing,
  'bedrock-converse': { status: 403, message: 'Missing Authentication Token' },
  'cohere-chat': { status: 401, message: 'no api key supplied' },
};

const openAIWrong = (key: string): ProviderError => ({
  status: 401,
  message: `Incorrect API key provided: ${masked(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`,
  code: 'invalid_api_key',
});

const wrong: Readonly<Record<Protocol, (key: string) => ProviderError>> = {
  'anthropic-messages': () => ({ status: 401, message: 'invalid x-api-key' }),
  'openai-chat': openAIWrong,
  'openai-responses': openAIWrong,
  'google-generatecontent': () => ({
    status: 400,
    message: 'API key not valid. Please pass a valid API key.',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
    ],
  }),
  'bedrock-converse': () => ({
    status: 403,
    message: 'Authentication failed: Please make sure your API Key is valid.',
  }),
  'cohere-chat': () => ({ status: 401, message: 'invalid api token' }),
  'google-interactions': () => ({ status: 400, message: 'API key not valid. Please pass a valid API key.' }),
};

const masked = (key: string): string => (key.length < 12 ? '****' : `${key.slice(0, 4)}****${key.slice(-4)}`);

const UNAUTHENTICATED: ProviderError = {
  status: 401,
  message:
    'Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
};

/** Refuses a missing key, and any key other than the configured one. A cloud has its own keys for the API of another vendor. */
export function checkKey(
  protocol: Protocol,
  headers: HeaderMap,
  key: string | undefined,
  cloud?: Cloud,
): Denial | undefined {
  const keyed = cloud === 'aws' ? 'bedrock-converse' : protocol;
  const given = cloud === undefined ? readKey[keyed](headers) : bearer(headers);
  if (given === '') return { id: 'auth', error: cloud === 'google' ? UNAUTHENTICATED : missing[keyed] };
  if (key !== undefined && given !== key)
    return { id: 'auth', error: cloud === 'google' ? UNAUTHENTICATED : wrong[keyed](given) };
  return undefined;
}

const notFound: Readonly<Record<Protocol, (model: string) => ProviderError>> = {
  'anthropic-messages': (model) => ({ status: 404, message: `model: ${model}` }),
  'openai-chat': (model) => ({
    status: 404,
    message: `The model \`${model}\` does not exist or you do not have access to it.`,
    code: 'model_not_found',
  }),
  'openai-responses': (model) => ({
    status: 400,
    message: `The requested model '${model}' does not exist.`,
    param: 'model',
    code: 'model_not_found',
  }),
  'google-generatecontent': (model) => ({
    status: 404,
    message: `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ModelService.ListModels to see the list of available models and their supported methods.`,
  }),
  'bedrock-converse': () => ({ status: 400, message: 'The provided model identifier is invalid.' }),
  'cohere-chat': (model) => ({
    status: 404,
    message: `model '${model}' not found, make sure the correct model ID was used and that you have access to the model.`,
  }),
  'google-interactions': (model) => ({ status: 404, message: `models/${model} is not found.` }),
};

/** Every model exists, except those with `does-not-exist` in the name. */
export const checkModel = (protocol: Protocol, model: string): Denial | undefined =>
  model.includes('does-not-exist') ? { id: 'model-not-found', error: notFound[protocol](model) } : undefined;
