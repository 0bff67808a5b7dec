/** Clients that keep their conversations themselves; each request may go through another server of their project. */
import assert from 'node:assert/strict';
import type { RecordFetch } from '../../src/record/record-fetch.ts';
import { ADDRESS, type ChatMessage } from './provider.ts';
import type { Project, Server, ServerProcess } from './server-fleet.ts';
import type { VirtualTime } from './virtual-time.ts';

interface Conversation {
  readonly messages: ChatMessage[];
  isBusy: boolean;
}

/** An answer that reached its client whole. */
export interface Answer {
  readonly response: string;
  /** All texts of the conversation that its client has seen, this answer included. */
  readonly seen: readonly string[];
  readonly server: Server;
  readonly process: ServerProcess;
  readonly at: number;
}

export interface ChatClients {
  /** Clients of all projects ask for a while. */
  traffic(rounds: number): Promise<void>;
  /** The answers of a project that came since this was last asked. */
  takeAnswers(project: Project): Answer[];
}

export function createClients(time: VirtualTime, projects: readonly Project[]): ChatClients {
  const conversations = new Map(projects.map((project): [Project, Conversation[]] => [project, []]));
  const answers = new Map(projects.map((project): [Project, Answer[]] => [project, []]));
  const pick = <T>(list: readonly T[]): T => list[time.below(list.length)]!;
  let asked = 0;

  /** One request of a client, through any server of the project. */
  const ask = async (project: Project): Promise<void> => {
    const own = conversations.get(project)!;
    const idle = own.filter(({ isBusy }) => !isBusy);
    const isNew = idle.length === 0 || time.random() < 0.2;
    const conversation: Conversation = isNew ? { messages: [], isBusy: true } : pick(idle);
    if (isNew) own.push(conversation);
    conversation.isBusy = true;
    try {
      await askNext(project, conversation);
    } finally {
      conversation.isBusy = false;
    }
  };
  const askNext = async (project: Project, { messages }: Conversation): Promise<void> => {
    const there = project.servers.filter(({ process }) => process && !process.isClosing);
    if (there.length === 0) return;
    const server = pick(there);
    const process = server.process!;
    asked += 1;
    // A client asks again what was not answered, or something else.
    if (messages.at(-1)?.role === 'user' && time.random() < 0.5) messages.pop();
    if (messages.at(-1)?.role !== 'user') messages.push({ role: 'user', content: `Question ${asked}` });
    const isStream = time.random() < 0.5;
    process.busy += 1;
    const answer = await Promise.race([readAnswer(process.fetch, messages, isStream), process.died])
      .catch((error: unknown) => {
        if (error instanceof assert.AssertionError) throw error;
        return undefined;
      })
      .finally(() => {
        process.busy -= 1;
      });
    if (!answer) return;
    messages.push(answer.message);
    const seen = messages.map(({ content }) => content);
    answers.get(project)!.push({ response: answer.id, seen, server, process, at: time.elapsedMs() });
  };

  return {
    async traffic(rounds) {
      const client = async (project: Project) => {
        for (let round = 0; round < rounds; round++) {
          await time.sleep(time.below(4000));
          await ask(project);
        }
      };
      // One for every second server, and at least three.
      const clientsOf = ({ servers }: Project) => Array.from({ length: Math.max(3, Math.ceil(servers.length / 2)) });
      await Promise.all(projects.flatMap((project) => clientsOf(project).map(() => client(project))));
    },
    takeAnswers: (project) => answers.get(project)!.splice(0),
  };
}

async function readAnswer(
  fetch: RecordFetch,
  messages: readonly ChatMessage[],
  stream: boolean,
): Promise<{ readonly id: string; readonly message: ChatMessage } | undefined> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-simulated' };
  const body = JSON.stringify({ model: 'gpt-5.5', messages, ...(stream && { stream }) });
  const response = await fetch(ADDRESS, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) return undefined;
  if (!stream) {
    const { id, choices } = JSON.parse(text);
    return { id, message: choices[0].message };
  }
  const chunks = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json));
  const content = chunks.map(({ choices }) => choices[0].delta.content ?? '').join('');
  // Programs spell what they collected in their own way, so that it is recognised by its words alone.
  return { id: chunks[0].id, message: { content, role: 'assistant' } };
}
