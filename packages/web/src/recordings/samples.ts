export interface Sample {
  readonly provider: string;
  readonly title: string;
  code(url: string): string;
}

/** The same with an address in the code instead of a variable. */
export const SAMPLES: readonly Sample[] = [
  {
    provider: 'openai',
    title: 'OpenAI',
    code: (url) => `import OpenAI from 'openai';

const openai = new OpenAI({ baseURL: '${url}' });`,
  },
  {
    provider: 'anthropic',
    title: 'Anthropic',
    code: (url) => `import Anthropic from '@anthropic-ai/sdk';

const anthropic = new Anthropic({ baseURL: '${url}' });`,
  },
  {
    provider: 'google',
    title: 'Google',
    code: (url) => `import { GoogleGenAI } from '@google/genai';

const google = new GoogleGenAI({ httpOptions: { baseUrl: '${url}' } });`,
  },
];
