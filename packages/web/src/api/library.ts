import { api, unwrap } from './client.ts';
import { queries, queryClient } from './queries.ts';

export interface Prompt {
  readonly name: string;
  readonly text: string;
}

type Library = Awaited<ReturnType<typeof readLibrary>>;

const readLibrary = () => unwrap(api.library.$get());

/** Stores a prompt in place of the one that had the name before. */
export async function savePrompt({ name, text }: Prompt, before?: string): Promise<void> {
  const json = { text, ...(before !== undefined && { before }) };
  put(await unwrap(api.library.prompts[':prompt'].$put({ param: { prompt: name }, json })));
}

export async function removePrompt(name: string): Promise<void> {
  put(await unwrap(api.library.prompts[':prompt'].$delete({ param: { prompt: name } })));
}

/** Chooses the model of new conversations, for every browser; undefined leaves it to the configuration. */
export async function chooseDefaultModel(model: string | undefined): Promise<void> {
  put(await unwrap(api.library.model.$put({ json: { model: model ?? null } })));
  await queryClient.invalidateQueries({ queryKey: queries.settings().queryKey });
}

function put(library: Library): void {
  queryClient.setQueryData(queries.library().queryKey, library);
}

/** Where releases before this one kept the prompts of the browser. */
const OLDER = 'skein.prompts';

/** Moves the prompts of this browser to the server, once. Names that the server knows stay as they are there. */
export async function moveOlderPrompts(): Promise<void> {
  const stored = localStorage.getItem(OLDER);
  if (stored === null) return;
  const { prompts } = await readLibrary();
  for (const prompt of readOlder(stored))
    if (!prompts.some(({ name }) => name === prompt.name)) await savePrompt(prompt);
  localStorage.removeItem(OLDER);
}

function readOlder(stored: string): readonly Prompt[] {
  try {
    const { state } = JSON.parse(stored) as { state?: { prompts?: unknown } };
    return Array.isArray(state?.prompts)
      ? state.prompts.filter((one): one is Prompt => typeof one?.name === 'string' && typeof one.text === 'string')
      : [];
  } catch {
    return [];
  }
}
