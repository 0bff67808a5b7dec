import { type Forest, importFile } from '@skein/forest';

/** When a line was written: minutes from the beginning of the session. */
type Minute = number;

const MINUTE = 60_000;
const SESSION = { sessionId: 'sample-cart', cwd: '/home/mira/shop', gitBranch: 'fix/cart-total', version: '2.1.197' };

/** Writes the log of a session, line behind line, as Claude Code writes it. */
class Log {
  readonly #start: number;
  readonly #name: string;
  readonly #shared: object;
  readonly lines: object[] = [];
  #last: string | null = null;

  constructor(start: number, name: string, shared: object = {}) {
    this.#start = start;
    this.#name = name;
    this.#shared = { ...SESSION, isSidechain: false, ...shared };
  }

  person(minute: Minute, content: unknown, more: object = {}): void {
    this.#add('user', minute, { role: 'user', content }, more);
  }

  /** A reply, and the results of its calls. */
  agent(minute: Minute, [input, cached, output]: Spent, blocks: readonly object[], results: readonly object[] = []) {
    const message = {
      id: `msg_${this.#name}_${this.lines.length}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5',
      content: blocks,
      stop_reason: results.length > 0 ? 'tool_use' : 'end_turn',
      usage: { input_tokens: input, cache_read_input_tokens: cached, output_tokens: output },
    };
    this.#add('assistant', minute, message);
    if (results.length > 0) this.person(minute + 0.2, results);
  }

  /** The history is replaced by a summary. */
  compaction(minute: Minute, summary: string): void {
    const uuid = this.#id();
    this.lines.push({
      ...this.#shared,
      type: 'system',
      subtype: 'compact_boundary',
      uuid,
      parentUuid: null,
      logicalParentUuid: this.#last,
      timestamp: this.#time(minute),
      compactMetadata: { trigger: 'manual' },
    });
    this.#last = uuid;
    this.person(minute, summary, { isCompactSummary: true });
  }

  text(title?: string): string {
    const named = title === undefined ? [] : [{ type: 'custom-title', customTitle: title, ...SESSION }];
    return [...this.lines, ...named].map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  #add(type: string, minute: Minute, message: object, more: object = {}): void {
    const uuid = this.#id();
    const timestamp = this.#time(minute);
    this.lines.push({ ...this.#shared, type, uuid, parentUuid: this.#last, timestamp, message, ...more });
    this.#last = uuid;
  }

  #id(): string {
    return `${this.#name}-${this.lines.length}`;
  }

  #time(minute: Minute): string {
    return new Date(this.#start + minute * MINUTE).toISOString();
  }
}

/** Tokens: fresh input, input from the cache, output. */
type Spent = readonly [input: number, cached: number, output: number];

const says = (text: string) => ({ type: 'text', text });
const calls = (id: string, name: string, input: object) => ({ type: 'tool_use', id: `toolu_${id}`, name, input });
const returns = (id: string, content: string, failed = false) => ({
  type: 'tool_result',
  tool_use_id: `toolu_${id}`,
  content,
  ...(failed && { is_error: true }),
});

const LOOK = 'Find every place in src that rounds a price. Report file, line and how it rounds.';

const FAILED = `> shop@1.4.0 test
> vitest run cart

 FAIL  src/cart.test.ts > adds up three items
AssertionError: expected 29.98 to be 29.97

 Tests  1 failed | 6 passed (7)`;

const BEFORE = `export function total(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + round(item.price * item.count), 0);
}`;

const AFTER = `export function total(items: readonly Item[]): number {
  const exact = items.reduce((sum, item) => sum + item.price * item.count, 0);
  return round(exact);
}`;

const TEST = `import { expect, test } from 'vitest';
import { total } from './cart.ts';

test('a discount that divides a cent is rounded once, at the end', () => {
  const items = [3.333, 3.333, 3.334].map((price) => ({ price, count: 3 }));
  expect(total(items)).toBe(30);
});
`;

/** A session of a coding agent: files that were changed, commands, a subagent, a compaction. */
export async function writeCodingSession(forest: Forest, start: number): Promise<void> {
  const main = new Log(start, 'main');
  main.person(0, 'The total of the cart is sometimes a cent too high. Find out why.');
  main.agent(
    0.3,
    [1820, 9400, 96],
    [says('I run the tests of the cart first.'), calls('test', 'Bash', { command: 'npm test -- cart' })],
    [returns('test', FAILED, true)],
  );
  main.agent(
    0.9,
    [640, 11_220, 148],
    [
      calls('look', 'Task', { description: 'Find the rounding', subagent_type: 'Explore', prompt: LOOK }),
      calls('cart', 'Read', { file_path: '/home/mira/shop/src/cart.ts' }),
    ],
    [returns('look', 'src/cart.ts:12 rounds each item, src/money.ts:4 rounds half up.'), returns('cart', BEFORE)],
  );
  main.agent(
    2.4,
    [910, 11_860, 122],
    [says('`total` rounds **every item** and adds up the rounded prices. Two halves of a cent become a whole one.')],
  );
  main.person(5, 'Fix it, and add a test that would have caught it.');
  main.agent(
    5.4,
    [210, 12_770, 340],
    [
      calls('fix', 'Edit', { file_path: '/home/mira/shop/src/cart.ts', old_string: BEFORE, new_string: AFTER }),
      calls('new', 'Write', { file_path: '/home/mira/shop/src/rounding.test.ts', content: TEST }),
    ],
    [returns('fix', 'The file was updated.'), returns('new', 'The file was created.')],
  );
  main.agent(
    6.1,
    [480, 13_020, 71],
    [calls('again', 'Bash', { command: 'npm test -- cart rounding' })],
    [returns('again', ' PASS  src/cart.test.ts (7)\n PASS  src/rounding.test.ts (1)\n\n Tests  8 passed (8)')],
  );
  main.agent(6.8, [160, 13_500, 64], [says('The total is rounded once now, and the new test fails without the fix.')]);
  main.compaction(9, 'The total of the cart was rounded for each item; it is rounded once now, with a test for it.');
  main.person(9.5, 'Add it to the changelog.');
  main.agent(
    9.9,
    [2480, 0, 118],
    [
      calls('log', 'Edit', {
        file_path: '/home/mira/shop/CHANGELOG.md',
        old_string: '## Unreleased\n',
        new_string: '## Unreleased\n\n- The total of a cart is rounded once, not for each item.\n',
      }),
    ],
    [returns('log', 'The file was updated.')],
  );
  main.agent(10.4, [140, 2480, 21], [says('Done.')]);

  const side = new Log(start, 'look', { isSidechain: true, agentId: 'look' });
  side.person(1, LOOK);
  side.agent(
    1.2,
    [2100, 0, 66],
    [calls('grep', 'Grep', { pattern: 'round\\(', path: 'src' })],
    [returns('grep', 'src/cart.ts:12\nsrc/money.ts:4')],
  );
  side.agent(2, [150, 2100, 58], [says('src/cart.ts:12 rounds each item, src/money.ts:4 rounds half up.')]);

  for (const text of [side.text(), main.text('A cent too much')]) {
    const { threads } = await importFile(forest, [text], { format: 'claude-code' });
    for (const thread of threads) await forest.threads.tag(thread, { sample: true });
  }
}
