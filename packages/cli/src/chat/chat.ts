import { ROOT } from '@skein/forest';
import { colors, counted, harmless, noteError, oneLine, say, UsageError } from '../output/output.ts';
import { createTally, usageLine } from '../output/usage-text.ts';
import { lastModel, modelNamed, titleConversation } from '../world/asking.ts';
import { inWorld } from '../world/open-world.ts';
import { startAt } from '../world/start.ts';
import { type Chatting, runCommand } from './commands.ts';
import { openHistory } from './history.ts';
import { openPartner, type Partner, withModel } from './partner.ts';
import { readTyped } from './read-typed.ts';
import { openSession } from './session.ts';
import { createTurns } from './turns.ts';

export interface ChatOptions {
  readonly store?: string;
  readonly project?: string;
  readonly agents?: string;
  readonly model?: string;
  readonly preset?: string;
  readonly system?: string;
  readonly at?: string;
  readonly think?: string;
}

/** A conversation in the terminal, until the person leaves. */
export async function chat(who: string | undefined, options: ChatOptions): Promise<void> {
  const { at, model, system, think, ...flags } = options;
  if (system !== undefined && at !== undefined)
    throw new UsageError('--system begins a conversation, --at goes on with one.');
  if (model !== undefined && who?.includes('/')) throw new UsageError(`Which one: ${who}, or --model ${model}?`);
  await inWorld(flags, async (world) => {
    const { forest, config, redact } = world;
    const start = await startAt(forest, at);
    const session = openSession(forest, start);
    const last = start.thread && (await lastModel(forest, start.thread.id, start.node, config));
    const opened = await openPartner(who ?? model, last, config, forest);
    const other = model === undefined || who === undefined ? opened : withModel(opened, modelNamed(model, config));
    let partner = think === undefined ? other : thinking(other, think);
    const tally = createTally();
    const turns = createTurns(world, session, partner.engine, tally);
    const chatting: Chatting = {
      session,
      forest,
      redact,
      answer: (asked) => turns.answer(asked, partner.options),
      modelName: () => partner.name,
      useModel: (name) => {
        partner = withModel(partner, modelNamed(name, config));
      },
    };
    try {
      say(colors.dim(`${harmless(partner.name)}. /help lists the commands, /quit leaves.`));
      if (session.head !== ROOT) {
        const { message, role } = await forest.node(session.head);
        say(colors.dim(`Going on from ${role}: ${oneLine(redact(message.text))}`));
      }
      await untilLeft(turns, chatting, (text) => session.ask(text, system ?? partner.system));
      if (tally.usage) say(`${counted(turns.count, 'turn')}: ${usageLine(tally.usage, tally.cost)}`);
      if (session.thread && turns.count > 0)
        await titleConversation(session.thread.id, world, partner.engine, partner.asking);
      if (session.thread) say(`skein chat --at ${session.thread.id} goes on with it.`);
    } finally {
      await opened.close();
    }
  });
}

function thinking(partner: Partner, how: string): Partner {
  const reasoning = /^\d+$/.test(how) ? { budget: Number(how) } : { effort: how };
  const params = { ...partner.options.params, reasoning };
  return { ...partner, options: { ...partner.options, params } };
}

/** One message or command after the other. */
async function untilLeft(
  turns: ReturnType<typeof createTurns>,
  chatting: Chatting,
  ask: (text: string) => Promise<string>,
): Promise<void> {
  const history = openHistory();
  while (!turns.isLeaving) {
    const turn = (await chatting.session.questions()).length + 1;
    const typed = await readTyped(colors.bold(`${turn}> `), history);
    if (typed.kind === 'end') return;
    if (typed.kind === 'interrupt') {
      turns.interrupt();
      if (!turns.isLeaving) say(colors.dim('Ctrl+C once more leaves.'));
      continue;
    }
    turns.goOn();
    const { text } = typed;
    try {
      if (text.startsWith('/') && !text.startsWith('//')) {
        if (await runCommand(text, chatting)) return;
      } else if (text.trim() !== '') await chatting.answer(await ask(text.replace(/^\/\//, '/')));
    } catch (error) {
      noteError(error);
    }
  }
}
