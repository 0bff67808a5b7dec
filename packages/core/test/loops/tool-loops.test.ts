import { type MessageReply, says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { type Api, modelOf, start, WAYS } from '../run/kit.ts';
import { bodiesOf, expectExtending, Saved, useFreshTurns } from './kit.ts';
import type { Job } from './turn.ts';

useFreshTurns();

const thinking = { type: 'thinking', text: 'Let me think about that for a while. '.repeat(3) } as const;
const call = (name: string, input = {}) => ({ type: 'tool-use', name, input }) as const;
const weather = (city: string) => call('get_weather', { city });

/** How many events of a stream bring a thought but not its end, and a call but not all of its arguments. */
const EVENTS: Readonly<Record<Api['protocol'], { thought: number; unsigned: number; call: number }>> = {
  'anthropic-messages': { thought: 5, unsigned: 9, call: 13 },
  'openai-chat': { thought: 3, unsigned: 7, call: 6 },
  'openai-responses': { thought: 6, unsigned: 12, call: 17 },
  'google-generatecontent': { thought: 3, unsigned: 6, call: 3 },
  'google-interactions': { thought: 5, unsigned: 8, call: 12 },
  'bedrock-converse': { thought: 3, unsigned: 7, call: 9 },
  'cohere-chat': { thought: 4, unsigned: 7, call: 9 },
};

interface Turn extends Omit<Job, 'options'> {
  readonly options?: Partial<Job['options']>;
}

async function conversation({ api, protocol, stream }: (typeof WAYS)[number]) {
  const emulator = await start({ settings: { enforcePrefix: true } });
  const saved = new Saved(emulator);
  let turns = 0;
  const turn = (replies: readonly MessageReply[], job: Turn = {}) => {
    emulator.script(protocol, replies);
    // Markers stand on other messages in every turn.
    const cache = turns++ % 2 ? (['tools', -1] as const) : (['system', -1, 0] as const);
    const options = { model: modelOf(api), env: emulator.env(), stream, system: 'Be brief.', cache };
    return saved.turn({ ...job, options: { ...options, ...job.options } });
  };
  return { emulator, turn };
}

const thoughtfully = (text: string): MessageReply => ({ blocks: [thinking, { type: 'text', text }] });
const looking: MessageReply = { blocks: [thinking, weather('Oslo')] };

describe.each(WAYS)('$protocol, stream: $stream, each turn from text alone', (way) => {
  test('parallel calls, a failing tool, an approval, a late result, moved markers', async () => {
    const { emulator, turn } = await conversation(way);
    const first = await turn(
      [
        { blocks: [thinking, weather('Oslo'), call('fail'), weather('Rome')] },
        { blocks: [thinking, { type: 'text', text: 'Once more.' }, weather('Bern')] },
        thoughtfully('Cold.'),
      ],
      { say: 'How is the weather?' },
    );
    expect(first).toMatchObject({ text: 'Cold.', stop: 'end' });
    expect(first.calls.toSorted()).toEqual(['done', 'done', 'done', 'failed']);

    const paused = await turn([{ blocks: [thinking, call('delete_file'), weather('Riga')] }], { say: 'Delete it.' });
    expect(paused).toMatchObject({ stop: 'approval', pending: [{ name: 'delete_file' }] });
    expect(await turn([])).toMatchObject({ stop: 'approval', requests: [] });
    const approvals = { [paused.pending[0]!.id]: 'approve' } as const;
    const approved = await turn([thoughtfully('Deleted.')], { options: { approvals } });
    expect(approved).toMatchObject({ text: 'Deleted.', calls: ['done'] });

    const open = await turn([{ blocks: [thinking, call('delete_file')] }], { say: 'And the other one.' });
    expect(open.stop).toBe('approval');
    expect(await turn([says('Well, then.')], { say: 'Go on without it.' })).toMatchObject({ text: 'Well, then.' });
    const late = { id: open.pending[0]!.id, text: 'Somebody deleted it by hand.' };
    const last = await turn([thoughtfully('I see.')], { late, say: 'Now it is gone.' });
    expect(last.text).toBe('I see.');
    expect(bodiesOf(emulator).at(-1)).toContain(late.text);
    expect(emulator.log).toHaveLength(8);
    expectExtending(bodiesOf(emulator));
  });

  test('a new system text: what was bound to the old one is left out, and told', async () => {
    const { turn } = await conversation(way);
    await turn([looking, thoughtfully('Cold.')], { say: 'How is the weather?' });
    const { requests } = await turn([says('Rather cold.')], { say: 'Say more.', options: { system: 'Be verbose.' } });
    const bound = requests.flatMap(({ losses }) => losses.filter(({ reason }) => reason === 'prefix-bound'));
    expect(bound.map(({ message }) => message)).toEqual(/claude/.test(way.model) ? [1, 3] : []);
  });
});

describe.each(WAYS.filter(({ stream }) => stream))('$protocol, each turn from text alone', (way) => {
  test.each(['thought', 'unsigned', 'call'] as const)('an abort inside of: %s', async (where) => {
    const { emulator, turn } = await conversation(way);
    await turn([looking, thoughtfully('Cold.')], { say: 'How is the weather?' });
    const events = EVENTS[way.protocol][where];
    const long = weather('A city with such a long name that it comes in pieces');
    const said = [{ ...thinking, text: 'Hm.' }, { type: 'text', text: 'I look.' } as const];
    const blocks = where === 'call' ? [...said, long] : [thinking, long];
    const cut = { blocks, pieces: 20, break: { after: { events }, how: 'hang' } } as const;
    expect(await turn([cut], { say: 'And elsewhere?', stopBehind: events })).toMatchObject({ stop: 'aborted' });
    expect(await turn([looking, says('Warm.')], { say: 'Never mind. And Rome?' })).toMatchObject({ text: 'Warm.' });
    expect(await turn([says('Bye.')], { say: 'Thanks.' })).toMatchObject({ text: 'Bye.' });
    const bodies = bodiesOf(emulator);
    expectExtending(bodies, way.protocol === 'bedrock-converse');
    // What was cut in its arguments is never sent; Google's calls come in one piece.
    if (way.protocol !== 'google-generatecontent') expect(bodies.at(-1)).not.toContain('A city with such');
    if (where === 'call') expect(bodies.at(-1)).toContain('I look.');
  });
});
