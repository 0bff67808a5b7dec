import { AnthropicVertex } from '@anthropic-ai/vertex-sdk';
import { OAuth2Client } from 'google-auth-library';
import { converse } from './anthropic.mjs';

/** @type {import('../sdk.mjs').Sdk} */
export const sdk = {
  name: 'AnthropicVertex',
  package: '@anthropic-ai/vertex-sdk',
  protocol: 'anthropic-messages',
  modes: ['JSON', 'stream'],
  open({ proxy, key, isStreamed }) {
    const authClient = new OAuth2Client();
    authClient.setCredentials({ access_token: key, expiry_date: Number.MAX_SAFE_INTEGER });
    const baseURL = `${proxy}/vertex-anthropic/v1`;
    const client = new AnthropicVertex({ region: 'global', projectId: 'p', authClient, baseURL, maxRetries: 0 });
    return converse(client, 'claude-opus-4-8', isStreamed);
  },
};
