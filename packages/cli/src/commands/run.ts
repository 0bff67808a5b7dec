import { describeProblem, loadAgents } from '@skein/agents';
import { system, user } from '@skein/core';
import type { Command } from 'commander';
import { counted, harmless, note, say, sayJson, warn } from '../output/output.ts';
import { priceText } from '../output/usage-text.ts';
import { agentNamed } from '../world/agent-named.ts';
import { modelNamed, openAsking, openEngine, titleConversation } from '../world/asking.ts';
import { approveAll, followGeneration, needAnswer } from '../world/follow.ts';
import { hasRedaction, inWorld } from '../world/open-world.ts';
import { usedBy } from '../world/used.ts';
import { countOf, type ForestFlags, jsonCommand } from './forest-command.ts';

interface Options extends ForestFlags {
  readonly agents?: string;
  readonly model?: string;
  readonly preset?: string;
  readonly steps?: number;
  readonly yes?: boolean;
}

export function addRun(program: Command): void {
  jsonCommand(program, 'run', 'let an agent work on a goal: it calls its tools until it is done')
    .argument('<agent>', 'its name, or that of its file')
    .argument('<goal...>')
    .option('--agents <folder>', 'where the files of the agents are')
    .option('--model <provider/model>', 'another model than its own')
    .option('--preset <name>', 'parameters by their name in the configuration, where the agent names none')
    .option('--steps <count>', 'how often the model may be asked', countOf)
    .option('--yes', 'approve every call of a tool that asks first')
    .action(runAgent);
}

async function runAgent(name: string, words: readonly string[], options: Options): Promise<void> {
  const { json, steps, yes, model, ...flags } = options;
  const goal = words.join(' ');
  await inWorld(flags, async ({ config, forest, redact }) => {
    const other = model === undefined ? undefined : modelNamed(model, config);
    const asking = await openAsking(config, other ? [other.provider] : []);
    const loaded = await loadAgents(config.agents, { config, env: asking.env, forest });
    try {
      const agent = agentNamed(name, loaded, config.agents);
      const { options: from, problems } = await agent.options();
      for (const problem of problems) warn(describeProblem(problem));
      const start = [...(from.system === undefined ? [] : [system(from.system)]), user(goal)];
      const thread = await forest.threads.begin(start);
      const asked = thread.head;
      const engine = await openEngine(forest, asking);
      const { system: _inForest, ...rest } = from;
      const limits = { ...from.limits, ...(steps !== undefined && { steps }) };
      const growing = { ...rest, ...(other && { model: other, fallback: [] }), limits, label: agent.id };
      // What is to be hidden can be cut in two by a stream.
      const isWhole = json === true || hasRedaction(config);
      let generation = await engine.generate(asked, { ...growing, thread: thread.id });
      let followed = await followGeneration(engine, generation, isWhole);
      while (yes && followed.branch.status === 'waiting') {
        generation = await approveAll(engine, generation, followed.branch, growing);
        followed = await followGeneration(engine, generation, isWhole, followed.after);
      }
      const { branch } = followed;
      const { usage, cost, replies } = await usedBy(forest, generation.id, asked, branch.head);
      const { text } = (await forest.node(branch.head)).message;
      const { status, stop, pending, error } = branch;
      if (json)
        sayJson(redact({ node: branch.head, thread: thread.id, status, stop, pending, error, text, usage, cost }));
      else {
        if (isWhole) say(harmless(redact(text)));
        note(`${counted(replies, 'reply', 'replies')}, ${priceText(cost)}; skein log ${thread.id}`);
      }
      needAnswer(branch);
      await titleConversation(thread.id, { forest, config }, engine, asking);
    } finally {
      await loaded.close();
      await asking.close();
    }
  });
}
