import { openai } from '../../dialects/openai-responses/provider.ts';
import type { ProviderDescriptor } from '../../dialects/provider.ts';

/** The v1 API, which needs no version in its address. The model is the name of a deployment. */
export const azureOpenai: ProviderDescriptor = {
  ...openai,
  id: 'azure-openai',
  aliases: ['azure'],
  names: { otel: 'azure.ai.openai', prices: 'azure' },
  // Ciphertexts are read by the resource that wrote them.
  issuer: '{host}',
  connection: {
    baseUrl: '',
    path: '/openai/v1/responses',
    auth: [{ header: 'api-key', value: '{key}' }],
    keyVariables: ['AZURE_OPENAI_API_KEY'],
    baseUrlVariables: ['AZURE_OPENAI_ENDPOINT'],
  },
};
