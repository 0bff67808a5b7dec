import { type ForestContext, makeRef } from '../context.ts';

/** A text that is written often. `{{name}}` in it is a variable, which is asked for when the prompt is used. */
export interface Prompt {
  /** What is typed after a slash. */
  readonly name: string;
  readonly text: string;
}

/** What people keep beside their conversations: prompts, and the model of new conversations. */
export interface Library {
  /** By name. A new forest has a few examples. */
  prompts(): Promise<readonly Prompt[]>;
  /** Stores a prompt in place of the one of the same name, or of `before`, which is removed. */
  savePrompt(prompt: Prompt, before?: string): Promise<void>;
  /** A name without a prompt is no error. */
  removePrompt(name: string): Promise<void>;
  /** The chosen model as `provider/model`; undefined when none is chosen. */
  model(): Promise<string | undefined>;
  chooseModel(model: string | undefined): Promise<void>;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  explain: 'Explain {{topic}} to somebody who knows {{background}}. Begin with an example.',
  review: 'Review this text. List what is wrong or unclear, worst first, and how to fix it:\n\n{{text}}',
  translate: 'Translate into {{language}}. Keep the tone:\n\n{{text}}',
};

const LIBRARY = { on: 'forest', key: 'library' } as const;
const PROMPT = 'prompt:';

export function createLibrary(context: ForestContext): Library {
  const { store } = context;
  const set = (values: Readonly<Record<string, unknown>>) =>
    store.append(Object.entries(values).map(([name, value]) => makeRef(context, LIBRARY.on, LIBRARY.key, name, value)));
  const read = async (names?: readonly string[]) => {
    const { items } = await store.refs({
      ...{ on: LIBRARY.on, keys: [LIBRARY.key], limit: Number.MAX_SAFE_INTEGER },
      ...(names && { names }),
    });
    return new Map(items.map(({ name, value }) => [name, value]));
  };
  return {
    async prompts() {
      const texts = new Map<string, unknown>(Object.entries(EXAMPLES));
      for (const [name, value] of await read())
        if (name.startsWith(PROMPT)) texts.set(name.slice(PROMPT.length), value);
      // A removed prompt is `false`, because an example without a value would come back.
      return [...texts]
        .flatMap(([name, text]) => (typeof text === 'string' ? [{ name, text }] : []))
        .sort((a, b) => a.name.localeCompare(b.name, 'en'));
    },
    async savePrompt({ name, text }, before = name) {
      await set({ ...(before !== name && { [PROMPT + before]: false }), [PROMPT + name]: text });
    },
    async removePrompt(name) {
      await set({ [PROMPT + name]: false });
    },
    async model() {
      const model = (await read(['model'])).get('model');
      return typeof model === 'string' ? model : undefined;
    },
    async chooseModel(model) {
      await set({ model: model ?? null });
    },
  };
}
