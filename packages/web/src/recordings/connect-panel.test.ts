import { expect, test } from 'vitest';
import { baseAddresses } from './connect-panel.tsx';

const provider = (id: string) => ({
  id,
  dialect: 'openai-chat',
  hasKey: false,
  keyVariables: [],
  proxy: `http://localhost:4141/proxy/${id}`,
});

test('the variables of the large SDKs come first, each with the path that its SDK wants', () => {
  const found = baseAddresses(['groq', 'google', 'openai', 'mine'].map(provider));
  expect(found.map(({ variable, url }) => `${variable ?? ''} ${url}`)).toEqual([
    'GOOGLE_GEMINI_BASE_URL http://localhost:4141/proxy/google',
    'OPENAI_BASE_URL http://localhost:4141/proxy/openai/v1',
    ' http://localhost:4141/proxy/groq',
    ' http://localhost:4141/proxy/mine',
  ]);
});
