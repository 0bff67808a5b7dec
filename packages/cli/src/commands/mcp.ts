import { presetParams } from '@skein/agents';
import { isSkeinError, user } from '@skein/core';
import { isLoopback, listenForMcp, type QuestionHandler, serveMcpOnStdio } from '@skein/server';
import { type CommandContext, untilInterrupted, withForest } from '../context/command-context.ts';
import { locateStart, threadToWrite } from '../context/locate.ts';
import {
  continuingModel,
  findModel,
  lastModel,
  modelName,
  openEngine,
  openModelAccess,
} from '../context/model-access.ts';
import { CommandError, note, UsageError } from '../output/output.ts';
import type { ForestFlags } from './forest-command.ts';

interface McpFlags extends ForestFlags {
  readonly port?: number;
  readonly host: string;
  readonly token: string;
  readonly write?: boolean;
  readonly model?: string;
  readonly version: string;
}

/** Serves the forest to MCP clients: over standard input and output, or with a port over HTTP. */
export async function serveMcp({ port, host, token: variable, write, version, ...flags }: McpFlags): Promise<void> {
  await withForest(flags, async (context) => {
    const { forest, redact } = context;
    const options = { forest, redact, version, ...(write && { writing: { ask: createAsk(context) } }) };
    if (port === undefined) return serveMcpOnStdio(options);
    const token = process.env[variable] || undefined;
    if (token === undefined && !isLoopback(host))
      throw new UsageError(`A server at ${host} can be reached from elsewhere: set ${variable} to a token.`);
    const listening = await listenForMcp(options, { port, host, ...(token !== undefined && { token }) });
    note(`MCP server at ${listening.url}/mcp, ${write ? 'for reading and writing' : 'for reading'}. Ctrl+C ends it.`);
    await untilInterrupted();
    await listening.close();
  });
}

function createAsk({ config, forest }: CommandContext): QuestionHandler {
  return async ({ question, conversation, model }) => {
    const start = await locateStart(forest, conversation);
    const named = model === undefined ? undefined : findModel(model, config);
    const last = named ?? (start.thread && (await lastModel(forest, start.thread.id, start.node, config)));
    const access = await openModelAccess(config, last ? [last.provider] : []);
    try {
      const chosen = named ?? continuingModel(last, config, access);
      const own = await threadToWrite(forest, start);
      const thread = own
        ? await forest.threads.append(own.id, [user(question)])
        : await forest.threads.begin([user(question)], { below: start.node });
      const engine = await openEngine(forest, access);
      const { params } = (await engine.lastRequest(thread.id)) ?? {};
      const asked = { model: chosen, thread: thread.id, params: params ?? presetParams(config) };
      const { branches } = await (await engine.generate(thread.head, asked)).result;
      const { status, head, error } = branches[0]!;
      if (status !== 'done') throw new CommandError('no_answer', error?.message ?? `The answer is ${status}.`);
      const { text } = (await forest.node(head)).message;
      return { text, message: head, conversation: thread.id, model: modelName(chosen) };
    } catch (error) {
      // The client is told what to do, without a stack.
      throw isSkeinError(error) ? new Error(error.message) : error;
    } finally {
      await access.close();
    }
  };
}
