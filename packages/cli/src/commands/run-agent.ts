import { describeProblem, loadAgents } from '@skein/agents';
import { system, user } from '@skein/core';
import { hasRedaction, withForest } from '../context/command-context.ts';
import { findAgent, findModel, openEngine, openModelAccess, titleConversation } from '../context/model-access.ts';
import { counted, note, say, sayJson, toPrintable, warn } from '../output/output.ts';
import { priceText } from '../output/usage-text.ts';
import type { ForestFlags } from './forest-command.ts';
import { approveAll, followGeneration, readGenerationUsage, requireAnswer } from './generation.ts';

interface RunOptions extends ForestFlags {
  readonly agents?: string;
  readonly model?: string;
  readonly preset?: string;
  readonly steps?: number;
  readonly yes?: boolean;
}

export async function runAgent(name: string, words: readonly string[], options: RunOptions): Promise<void> {
  const { json, steps, yes, model, ...flags } = options;
  const goal = words.join(' ');
  await withForest(flags, async ({ config, forest, redact }) => {
    const other = model === undefined ? undefined : findModel(model, config);
    const access = await openModelAccess(config, other ? [other.provider] : []);
    const loaded = await loadAgents(config.agents, { config, env: access.env, forest });
    try {
      const agent = findAgent(name, loaded, config.agents);
      const { options: from, problems } = await agent.options();
      for (const problem of problems) warn(describeProblem(problem));
      const start = [...(from.system === undefined ? [] : [system(from.system)]), user(goal)];
      const thread = await forest.threads.begin(start);
      const asked = thread.head;
      const engine = await openEngine(forest, access);
      const { system: _inForest, ...rest } = from;
      const limits = { ...from.limits, ...(steps !== undefined && { steps }) };
      const growing = { ...rest, ...(other && { model: other, fallback: [] }), limits, label: agent.id };
      // A stream could cut a text that must be hidden in two.
      const isWhole = json === true || hasRedaction(config);
      let generation = await engine.generate(asked, { ...growing, thread: thread.id });
      let followed = await followGeneration(engine, generation, isWhole);
      while (yes && followed.branch.status === 'waiting') {
        generation = await approveAll(engine, generation, followed.branch, growing);
        followed = await followGeneration(engine, generation, isWhole, followed.after);
      }
      const { branch } = followed;
      const { usage, cost, replies } = await readGenerationUsage(forest, generation.id, asked, branch.head);
      const { text } = (await forest.node(branch.head)).message;
      const { status, stop, pending, error } = branch;
      if (json)
        sayJson(
          redact({
            node: branch.head,
            thread: thread.id,
            status,
            stop,
            pending,
            error,
            text,
            usage,
            cost: cost ?? null,
          }),
        );
      else {
        if (isWhole) say(toPrintable(redact(text)));
        note(`${counted(replies, 'reply', 'replies')}, ${priceText(cost)}; skein log ${thread.id}`);
      }
      requireAnswer(branch);
      await titleConversation(thread.id, { forest, config }, engine, access);
    } finally {
      await loaded.close();
      await access.close();
    }
  });
}
