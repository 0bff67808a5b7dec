import { create } from 'zustand';
import { persist } from 'zustand/middleware';

/** A text that is written often. `{{name}}` in it is a variable, which is asked for when the prompt is used. */
export interface Prompt {
  readonly name: string;
  readonly text: string;
}

const EXAMPLES: readonly Prompt[] = [
  { name: 'explain', text: 'Explain {{topic}} to somebody who knows {{background}}. Begin with an example.' },
  {
    name: 'review',
    text: 'Review this text. List what is wrong or unclear, worst first, and how to fix it:\n\n{{text}}',
  },
  { name: 'translate', text: 'Translate into {{language}}. Keep the tone:\n\n{{text}}' },
];

/** The reader's prompts, stored in the browser. */
export const usePrompts = create<{ readonly prompts: readonly Prompt[] }>()(
  persist(() => ({ prompts: EXAMPLES }), { name: 'skein.prompts', version: 1 }),
);

/** Stores a prompt in place of the one that had the name before. */
export function savePrompt(prompt: Prompt, before?: string): void {
  usePrompts.setState(({ prompts }) => {
    const at = prompts.findIndex(({ name }) => name === (before ?? prompt.name));
    const others = prompts.filter(({ name }, index) => index === at || name !== prompt.name);
    return { prompts: at < 0 ? [...others, prompt] : others.map((one) => (one === prompts[at] ? prompt : one)) };
  });
}

export function removePrompt(name: string): void {
  usePrompts.setState(({ prompts }) => ({ prompts: prompts.filter((one) => one.name !== name) }));
}

const VARIABLE = /\{\{\s*([^{}]+?)\s*\}\}/g;

/** The names of the variables, each once, in order. */
export function listVariables(text: string): readonly string[] {
  return [...new Set([...text.matchAll(VARIABLE)].map(([, name]) => name!))];
}

/** The text with a value for each variable; one without a value stays. */
export function fillVariables(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(VARIABLE, (whole, name: string) => values[name] || whole);
}

/** A name that can be typed after a slash. */
export function promptName(written: string): string {
  return written
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}
