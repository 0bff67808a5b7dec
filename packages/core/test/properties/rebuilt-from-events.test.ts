import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../scripts/test-shares.ts';
import { type BlockEvent, readBlocks } from '../../src/dialect.ts';
import { type ContentBlock, dialect, type Stop, type Usage } from '../../src/index.ts';
import { ALL_PROTOCOLS, type AnyProtocol } from '../corpus/recordings.ts';
import { CONTRADICTORY, type ReadBlocks, readAsBlocks, readBlocksOf, streams } from '../corpus/streamed.ts';
import { APIS } from '../matrix/apis.ts';
import { streamOf } from '../matrix/streamed.ts';

/** What events alone tell of a reply. */
interface Rebuilt {
  readonly content: readonly ContentBlock[];
  readonly stop: Stop | undefined;
  readonly usage: Usage | undefined;
  /** Events that do not keep to the rules. */
  readonly faults: readonly string[];
}

function rebuild(events: readonly BlockEvent[], choice?: number): Rebuilt {
  const ends = new Map<number, ContentBlock>();
  const begun = new Map<number, { readonly kind: string; text: string; isBroken: boolean }>();
  const faults: string[] = [];
  let stop: Stop | undefined;
  let usage: Usage | undefined;
  for (const outer of events) {
    const isOther = outer.type === 'choice';
    if (outer.type === 'usage') usage = outer.usage;
    if (choice === undefined ? isOther : !isOther || outer.choice !== choice) continue;
    const event = isOther ? outer.event : outer;
    if (event.type === 'stop') stop = event.stop;
    if (!('index' in event)) continue;
    const { index } = event;
    const block = begun.get(index);
    if (event.type === 'block-start') {
      if (block || index !== begun.size) faults.push(`block ${index} begins out of turn`);
      begun.set(index, { kind: event.kind, text: '', isBroken: false });
    } else if (!block) faults.push(`${event.type} of block ${index}, which never began`);
    else if (event.type === 'block-end') {
      ends.set(index, event.block);
      const told = 'text' in event.block ? event.block.text : undefined;
      if (told !== undefined && block.text !== '' && told !== block.text)
        faults.push(`block ${index} told ${JSON.stringify(block.text)} and is ${JSON.stringify(told)}`);
      if (event.block.type !== block.kind && event.block.type !== 'unknown')
        faults.push(`block ${index} begins as ${block.kind} and ends as ${event.block.type}`);
    } else if (event.type !== 'tool-use' && event.type !== 'tool-arguments') block.text += event.text;
  }
  return { content: [...ends.values()], stop, usage, faults };
}

/** Ids of calls that came without one are made from the text of the whole message. */
function comparable(content: readonly ContentBlock[]): unknown {
  return content.map((block) =>
    block.type === 'tool-use' && (block.id === '' || block.id.startsWith('skn_')) ? { ...block, id: '' } : block,
  );
}

function differences({ reply, events }: ReadBlocks): string[] {
  const wrong: string[] = [];
  const compare = (what: string, found: unknown, wanted: unknown): void => {
    const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
    if (a !== b) wrong.push(`${what}: ${a} is not ${b}`);
  };
  const { content, stop, usage, faults } = rebuild(events);
  compare('content', comparable(content), comparable(reply.message.content));
  compare('stop', stop, reply.stop);
  compare('usage', usage, reply.usage);
  reply.alternatives.forEach((alternative, at) => {
    compare(`choice ${at + 1}`, comparable(rebuild(events, at + 1).content), comparable(alternative.message.content));
  });
  return [...wrong, ...faults];
}

const isWhole = ({ reply, events }: ReadBlocks): boolean =>
  !reply.message.origin.cut && !events.some(({ type }) => type === 'error');

describe.each(ALL_PROTOCOLS)('%s', (protocol: AnyProtocol) => {
  it('the events of a recorded stream alone give the same blocks, stop and usage', () => {
    const all = streams(protocol).filter(({ name }) => name !== CONTRADICTORY);
    const wrong = all.flatMap(({ name, sse }) => {
      const read = readBlocksOf(protocol, sse);
      return isWhole(read) ? differences(read).map((problem) => `${name}: ${problem}`) : [];
    });
    expect(wrong).toEqual([]);
  });

  it('whole events that are pushed as text tell the same as one by one', () => {
    for (const { name, sse } of streams(protocol)) {
      const reader = readBlocks(dialect(protocol));
      const events = reader.pushText(`${sse.replaceAll('\r\n', '\n')}\n\n`);
      const { reply, events: last } = reader.finish();
      const one = readBlocksOf(protocol, sse);
      expect(JSON.stringify([...events, ...last]), name).toBe(JSON.stringify(one.events));
      expect(reply.message.raw, name).toBe(one.reply.message.raw);
    }
  });
});

describe.each(APIS.map(({ id }) => id))('%s', (protocol) => {
  it('so do those of any stream', () => {
    const api = APIS.find(({ id }) => id === protocol)!;
    const text = fc.string({ minLength: 1, unit: 'grapheme' });
    const said = fc.record({
      thought: fc.option(text, { nil: undefined }),
      text,
      calls: fc.array(
        fc.record({ name: fc.constantFrom('look', 'find'), args: fc.constantFrom('{}', '{"a":[1,"é"]}') }),
        { maxLength: 3 },
      ),
    });
    fc.assert(
      fc.property(said, (one) => {
        expect(differences(readAsBlocks(api.dialect, streamOf(api, 'any', one as never, 1)))).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  });
});
