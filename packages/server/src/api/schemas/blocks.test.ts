import { type ContentBlock, normalizeMessage } from '@skein/core';
import { expect, test } from 'vitest';
import { createApp } from '../../app.ts';
import { Block, toBlock } from './blocks.ts';

const blocks: readonly ContentBlock[] = [
  { type: 'text', text: 'Hello', citations: [{ url: 'https://example.org', native: '{}' }] },
  { type: 'reasoning', text: 'hm', redacted: false },
  { type: 'tool-use', id: 'a', name: 'add', parameters: { n: 2 ** 53 }, rawParameters: '{"n":9007199254740993}' },
  { type: 'tool-result', toolCallId: 'a', isError: false, content: [{ type: 'text', text: '3' }] },
  { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' } },
  { type: 'refusal', text: 'No.' },
  { type: 'unknown', native: '{"type":"new"}' },
];

test('every kind of block is sent as the schema says, and arguments only as their exact text', () => {
  for (const block of blocks) {
    const sent = toBlock(block);
    expect(Block.parse(sent)).toEqual(sent);
  }
  expect(toBlock(blocks[2]!)).not.toHaveProperty('parameters');
});

test('a kind of block of a later version is sent as it is', () => {
  const later = { type: 'hologram', of: 'a cat' } as unknown as ContentBlock;
  expect(toBlock(later)).toEqual(later);
  const { content } = normalizeMessage('{"role":"user","content":[{"type":"hologram"}]}');
  expect(content.map(toBlock)).toMatchObject([{ type: 'unknown' }]);
});

test('OpenAPI describes blocks, losses, notices and the events of a generation', async () => {
  const app = createApp({ version: '0', metrics: { count: () => {} } } as never, {
    checkSource() {},
    checkToken: () => undefined,
  });
  const { components, paths } = (await (await app.request('/api/openapi.json')).json()) as {
    components: { schemas: Record<string, { oneOf?: unknown[]; properties?: Record<string, unknown> }> };
    paths: Record<string, { get: { responses: Record<string, { content: Record<string, { schema: unknown }> }> } }>;
  };
  const { Block: block, GenerationEvent: event, Node, ToolResultBlock, Loss, Notice } = components.schemas;
  expect(block?.oneOf).toContainEqual({ $ref: '#/components/schemas/ToolUseBlock' });
  expect(Node?.properties?.content).toMatchObject({ items: { $ref: '#/components/schemas/Block' } });
  expect(ToolResultBlock?.properties?.content).toMatchObject({ items: { $ref: '#/components/schemas/Block' } });
  expect(event?.oneOf?.length).toBeGreaterThan(12);
  expect(Notice?.properties?.losses).toMatchObject({ items: { $ref: '#/components/schemas/Loss' } });
  expect(Loss?.properties?.reason).toMatchObject({ enum: expect.arrayContaining(['tool-name']) });
  const events = paths['/api/v1/generations/{generation}/events']?.get.responses['200'];
  expect(events?.content['text/event-stream']?.schema).toEqual({ $ref: '#/components/schemas/GenerationEvent' });
});
