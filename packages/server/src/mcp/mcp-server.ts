import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { isSkeinError } from '@skein/core';
import { exportText, type Forest, type ForestNode, type Thread } from '@skein/forest';
import { z } from 'zod';
import type { Redactor } from '../redact.ts';

/** What an MCP server of a forest works with. */
export interface McpForestOptions {
  readonly forest: Forest;
  readonly version?: string;
  /** Hides texts in everything that is returned. */
  readonly redact?: Redactor;
  /** Lets clients change the forest: fork conversations, and ask models. Without it, clients can only read. */
  readonly writing?: { readonly ask: QuestionHandler };
}

/** Asks a model for an MCP client, in a conversation or in a new one. */
export type QuestionHandler = (request: {
  readonly question: string;
  readonly conversation?: string;
  readonly model?: string;
}) => Promise<{
  readonly text: string;
  readonly message: string;
  readonly conversation: string;
  readonly model: string;
}>;

/** Characters of a conversation that one call returns: clients put all of it into a context. */
const PAGE_CHARACTERS = 40_000;
const MAX_LISTED = 100;

const THREADS = 'skein://thread/';
const MESSAGES = 'skein://message/';

const Conversation = z.object({
  address: z.string().describe('Give it to read_conversation'),
  title: z.string(),
  changed: z.string().describe('When it changed last'),
  tags: z.array(z.string()),
});

const Hit = z.object({
  message: z.string().describe('The address of the message'),
  role: z.string(),
  snippet: z.string(),
  conversation: z
    .string()
    .optional()
    .describe('The address of the conversation that changed last, of those with the message'),
  title: z.string().optional(),
  written: z.string(),
});

const READ = { readOnlyHint: true, openWorldHint: false } as const;
const Limit = z.number().int().min(1).max(MAX_LISTED).default(20);
const Address = z.string().max(300).describe('An address such as skein://thread/…, or an id or its beginning');

/**
 * Makes an MCP server on a forest: models search conversations, read them and quote messages. Conversations are also
 * resources.
 *
 * @example
 * serveStdio(() => createMcpServer({ forest }));
 */
export function createMcpServer({
  forest,
  version = '0.1.0',
  redact = (value) => value,
  writing,
}: McpForestOptions): McpServer {
  const server = new McpServer(
    { name: 'skein', version },
    {
      instructions:
        'Earlier conversations with language models. Search them, read them, and cite messages by their addresses.',
    },
  );
  const structured = (value: Record<string, unknown>) => {
    const shown = redact(value);
    return { content: [{ type: 'text' as const, text: JSON.stringify(shown) }], structuredContent: shown };
  };
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: redact(value) }] });

  server.registerTool(
    'search_conversations',
    {
      description: 'Finds messages that contain all the words, in all conversations. The last word may be incomplete.',
      inputSchema: z.object({ words: z.string().min(1).max(1000), limit: Limit }),
      outputSchema: z.object({ hits: z.array(Hit) }),
      annotations: READ,
    },
    async ({ words, limit }) => structured({ hits: await search(forest, words, limit) }),
  );
  server.registerTool(
    'list_conversations',
    {
      description: 'Lists conversations, last changed first.',
      inputSchema: z.object({ limit: Limit, tag: z.string().optional(), after: z.string().optional() }),
      outputSchema: z.object({ conversations: z.array(Conversation), next: z.string().optional() }),
      annotations: READ,
    },
    async ({ limit, tag, after }) => {
      const page = await forest.threads.list({
        limit,
        ...(tag !== undefined && { tag }),
        ...(after !== undefined && { after }),
      });
      const conversations = page.items.map(describeThread);
      return structured({ conversations, ...(page.next !== undefined && { next: page.next }) });
    },
  );
  server.registerTool(
    'read_conversation',
    {
      description: `Returns a conversation as Markdown, up to ${PAGE_CHARACTERS} characters at a time.`,
      inputSchema: z.object({
        conversation: Address,
        from: z
          .number()
          .int()
          .min(0)
          .default(0)
          .describe('The first character; the end of a page says how to continue'),
      }),
      annotations: READ,
    },
    async ({ conversation, from }) => {
      const whole = redact(await readMarkdown(forest, await findThread(forest, conversation)));
      const end = from + PAGE_CHARACTERS;
      const more = end < whole.length ? `\n\n[${whole.length - end} more characters: continue with from: ${end}]` : '';
      return text(whole.slice(from, end) + more);
    },
  );
  server.registerTool(
    'quote_message',
    {
      description: 'Returns one message word for word, with its address, author and date, to be cited.',
      inputSchema: z.object({ message: Address }),
      annotations: READ,
    },
    async ({ message }) => text(quote(await forest.node(bare(message, MESSAGES)))),
  );
  addResources(server, forest, redact);
  if (writing) addWriting(server, forest, writing.ask, structured);
  return server;
}

function addWriting(
  server: McpServer,
  forest: Forest,
  ask: QuestionHandler,
  structured: (value: Record<string, unknown>) => {
    content: { type: 'text'; text: string }[];
    structuredContent: Record<string, unknown>;
  },
): void {
  server.registerTool(
    'fork_conversation',
    {
      description: 'Makes a new conversation that shares the messages up to one of them. The original stays as it is.',
      inputSchema: z.object({
        conversation: Address,
        at: Address.optional().describe('The last message of the fork; default: the last one of the conversation'),
        title: z.string().max(500).optional(),
      }),
      outputSchema: z.object({ conversation: z.string(), title: z.string() }),
      annotations: { destructiveHint: false, openWorldHint: false },
    },
    async ({ conversation, at, title }) => {
      const { id } = await findThread(forest, conversation);
      const node = at === undefined ? undefined : await forest.resolve(bare(at, MESSAGES));
      const fork = await forest.threads.fork(id, { ...(node && { at: node }), ...(title !== undefined && { title }) });
      return structured({ conversation: THREADS + fork.id, title: fork.title });
    },
  );
  server.registerTool(
    'ask',
    {
      description:
        'Asks a model, in a conversation or in a new one, and stores question and answer. This may cost money.',
      inputSchema: z.object({
        question: z.string().min(1).max(1_000_000),
        conversation: Address.optional(),
        model: z.string().max(300).optional().describe('provider/model; default: the one that answered last'),
      }),
      outputSchema: z.object({ text: z.string(), message: z.string(), conversation: z.string(), model: z.string() }),
      annotations: { destructiveHint: false, openWorldHint: true },
    },
    async ({ question, conversation, model }) => {
      const at = conversation === undefined ? undefined : (await findThread(forest, conversation)).id;
      const asked = { question, ...(at !== undefined && { conversation: at }), ...(model !== undefined && { model }) };
      const answer = await ask(asked);
      return structured({ ...answer, message: MESSAGES + answer.message, conversation: THREADS + answer.conversation });
    },
  );
}

function addResources(server: McpServer, forest: Forest, redact: Redactor): void {
  const list = async () => {
    const { items } = await forest.threads.list({ limit: MAX_LISTED });
    return {
      resources: items.map(({ id, title }) => ({ uri: THREADS + id, name: redact(title), mimeType: 'text/markdown' })),
    };
  };
  const contents = (uri: URL, text: string) => ({
    contents: [{ uri: uri.href, mimeType: 'text/markdown', text: redact(text) }],
  });
  server.registerResource(
    'conversation',
    new ResourceTemplate(`${THREADS}{id}`, { list }),
    { title: 'A conversation', description: 'Its messages as Markdown', mimeType: 'text/markdown' },
    async (uri, { id }) =>
      contents(uri, await readMarkdown(forest, await findThread(forest, decodeURIComponent(String(id))))),
  );
  server.registerResource(
    'message',
    new ResourceTemplate(`${MESSAGES}{id}`, { list: undefined }),
    { title: 'A message', description: 'Its text, author and date', mimeType: 'text/markdown' },
    async (uri, { id }) => contents(uri, quote(await forest.node(String(id)))),
  );
}

async function search(forest: Forest, words: string, limit: number): Promise<z.infer<typeof Hit>[]> {
  const { items } = await forest.search(words, { limit });
  return Promise.all(
    items.map(async ({ node, role, snippet }) => {
      const [{ at }, [thread]] = await Promise.all([forest.node(node), forest.threads.of(node)]);
      const found = thread && { conversation: THREADS + thread.id, title: thread.title };
      return { message: MESSAGES + node, role, snippet, ...found, written: new Date(at).toISOString() };
    }),
  );
}

function describeThread({ id, title, updatedAt, tags }: Thread): z.infer<typeof Conversation> {
  return { address: THREADS + id, title, changed: new Date(updatedAt).toISOString(), tags: [...tags] };
}

/** The text after the beginning of an address, or the whole text if it is an id. */
function bare(address: string, beginning: string): string {
  return address.startsWith(beginning) ? decodeURIComponent(address.slice(beginning.length)) : address;
}

/** Finds a conversation by its address, its id, or the beginning of its id. */
async function findThread(forest: Forest, address: string): Promise<Thread> {
  const id = bare(address, THREADS);
  try {
    return await forest.threads.get(id);
  } catch (error) {
    if (!isSkeinError(error, 'unknown_thread') || id.length < 4) throw error;
    const { items } = await forest.threads.list({ limit: 1000 });
    const [first, second] = items.filter((thread) => thread.id.startsWith(id));
    if (!first || second) throw error;
    return first;
  }
}

async function readMarkdown(forest: Forest, { id }: Thread): Promise<string> {
  let text = '';
  for await (const piece of exportText(forest, { format: 'markdown', of: { thread: id } })) text += piece;
  return text;
}

function quote({ id, role, at, message, takes }: ForestNode): string {
  const model = takes.find((take) => take.model !== undefined)?.model;
  const words = message.text.split('\n').map((line) => `> ${line}`);
  const who = role === 'assistant' && model !== undefined ? model : role;
  return `${words.join('\n')}\n\n— ${who}, ${new Date(at).toISOString().slice(0, 10)}, ${MESSAGES}${id}`;
}
