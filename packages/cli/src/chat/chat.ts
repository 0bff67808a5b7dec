import { ROOT } from '@skein/forest';
import { withForest } from '../context/command-context.ts';
import { locateStart } from '../context/locate.ts';
import { findModel, lastModel, titleConversation } from '../context/model-access.ts';
import { colors, counted, noteError, oneLine, say, toPrintable, UsageError } from '../output/output.ts';
import { createUsageSum, usageLine } from '../output/usage-text.ts';
import { type ChatContext, runCommand } from './commands.ts';
import { openHistory, readPrompt } from './prompt.ts';
import { openPartner, openSession, type Partner, withModel } from './session.ts';
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
    throw new UsageError('--system begins a conversation, and --at continues one: leave one of them out.');
  if (model !== undefined && who?.includes('/')) throw new UsageError(`Which one: ${who}, or --model ${model}?`);
  await withForest(flags, async (context) => {
    const { forest, config, redact } = context;
    const start = await locateStart(forest, at);
    const session = openSession(forest, start);
    const last = start.thread && (await lastModel(forest, start.thread.id, start.node, config));
    const opened = await openPartner(who ?? model, last, config, forest);
    const other = model === undefined || who === undefined ? opened : withModel(opened, findModel(model, config));
    let partner = think === undefined ? other : thinking(other, think);
    const tally = createUsageSum();
    const turns = createTurns(context, session, partner.engine, tally);
    const chatting: ChatContext = {
      session,
      forest,
      redact,
      answer: (asked) => turns.answer(asked, partner.options),
      modelName: () => partner.name,
      useModel: (name) => {
        partner = withModel(partner, findModel(name, config));
      },
    };
    try {
      say(colors.dim(`${toPrintable(partner.name)}. /help lists the commands, /quit leaves.`));
      if (session.head !== ROOT) {
        const { message, role } = await forest.node(session.head);
        say(colors.dim(`Continuing from ${role}: ${oneLine(redact(message.text))}`));
      }
      await untilLeft(turns, chatting, (text) => session.ask(text, system ?? partner.system));
      if (tally.usage) say(`${counted(turns.count, 'turn')}: ${usageLine(tally.usage, tally.cost)}`);
      if (session.thread && turns.count > 0)
        await titleConversation(session.thread.id, context, partner.engine, partner.access);
      if (session.thread) say(`skein chat --at ${session.thread.id} continues it.`);
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
  chatting: ChatContext,
  ask: (text: string) => Promise<string>,
): Promise<void> {
  const history = openHistory();
  while (!turns.isLeaving) {
    const turn = (await chatting.session.questions()).length + 1;
    const typed = await readPrompt(colors.bold(`${turn}> `), history);
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
