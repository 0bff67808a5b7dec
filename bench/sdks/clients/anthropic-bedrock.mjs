import { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import { converse } from './anthropic.mjs';

/** It signs, so the proxy signs again. @type {import('../sdk.mjs').Sdk} */
export const sdk = {
  name: 'AnthropicBedrock',
  package: '@anthropic-ai/bedrock-sdk',
  protocol: 'anthropic-messages',
  modes: ['JSON', 'stream'],
  open({ proxy, account, isStreamed }) {
    const client = new AnthropicBedrock({
      awsAccessKey: account.accessKeyId,
      awsSecretKey: account.secretAccessKey,
      awsRegion: 'us-east-1',
      baseURL: `${proxy}/bedrock-invoke`,
      maxRetries: 0,
    });
    return converse(client, 'us.anthropic.claude-opus-4-8', isStreamed);
  },
};
