import type { Engine, GenerateOptions } from '@skein/forest';
import { withHint } from '../output/error-text.ts';
import { colors, noteError, say } from '../output/output.ts';
import { type Tally, usageLine } from '../output/usage-text.ts';
import { hasRedaction, type World } from '../world/open-world.ts';
import { showAnswer } from './answer.ts';
import type { Session } from './session.ts';
import { turnView } from './turn-view.ts';

/** Answers, one at a time, and what Ctrl+C does to them. */
export interface Turns {
  /** How many there were. */
  readonly count: number;
  /** Ctrl+C came twice. */
  readonly isLeaving: boolean;
  /** Asks about what stands at a node, shows the answer, and stands behind it. */
  answer(asked: string, options: GenerateOptions): Promise<void>;
  /** Stops the answer; the second time in a row it means leaving. */
  interrupt(): void;
  /** Something else was typed since. */
  goOn(): void;
}

export function createTurns(world: World, session: Session, engine: Engine, tally: Tally): Turns {
  const { forest, redact, config } = world;
  const trusted = new Set<string>();
  let stop: (() => void) | undefined;
  let count = 0;
  let interrupts = 0;

  const interrupt = () => {
    interrupts += 1;
    stop?.();
  };

  async function answer(asked: string, options: GenerateOptions): Promise<void> {
    process.on('SIGINT', interrupt);
    try {
      const { id: thread } = await session.own();
      const answered = await showAnswer(await engine.generate(asked, { ...options, thread }), options, {
        engine,
        runnable: new Set((options.tools ?? []).flatMap((one) => ('execute' in one ? [one.name] : []))),
        view: turnView(forest, redact, hasRedaction(config)),
        trusted,
        redact,
        onStoppable: (given) => {
          stop = given;
          // Ctrl+C may have come before there was anything to stop.
          if (interrupts > 0) stop?.();
        },
      });
      const { status, head, error } = answered.branch;
      await session.moveTo(head);
      if (status === 'aborted') say(colors.yellow('Stopped; what came is kept.'));
      if (status === 'waiting') say(colors.yellow('The call was not run.'));
      if (error) noteError(`${withHint(error.message, error.code)} (/again asks once more)`);
      const { usage, cost } = answered.tally;
      if (usage) say(colors.dim(usageLine(usage, cost)));
      tally.add(usage, cost);
      count += 1;
    } finally {
      process.removeListener('SIGINT', interrupt);
    }
  }

  return {
    answer,
    interrupt,
    goOn: () => {
      interrupts = 0;
    },
    get count() {
      return count;
    },
    get isLeaving() {
      return interrupts > 1;
    },
  };
}
