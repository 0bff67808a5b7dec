/** Folders of the older layout, written file by file. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Gone when the test is over. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skein-older-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function put(folder: string, name: string, content: unknown): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

export interface TestNode {
  readonly message: unknown;
  readonly parent?: string;
  readonly children?: readonly string[];
  readonly metadata?: object;
}

export function putNode(folder: string, id: string, { message, parent, children = [], metadata = {} }: TestNode): void {
  const [root, node] = id.split('/');
  put(folder, `${root}/nodes/${node}.json`, {
    id,
    root_id: root,
    parent_id: parent ?? root,
    child_ids: children,
    message,
    metadata: {
      timestamp: '2025-01-01T00:00:01.000Z',
      original_root_id: root,
      source_info: { type: 'user' },
      ...metadata,
    },
  });
}

/** Two branches below one question, a deleted root, both shapes of messages, a bookmark. */
export function exampleFolder(): string {
  const folder = newFolder();
  put(folder, 'roots.json', [
    {
      id: 'root-1',
      createdAt: '2025-01-01T00:00:00.000Z',
      config: { provider: 'openai', model: 'gpt-4o', systemPrompt: 'You are a helpful assistant.' },
      child_ids: ['root-1/node-1'],
    },
    { id: 'root-2', createdAt: '2025-01-02T00:00:00.000Z', config: {}, child_ids: ['root-2/node-1'], deleted: true },
    { id: 'root-3', createdAt: '2025-01-03T00:00:00.000Z', config: {}, child_ids: [] },
  ]);
  putNode(folder, 'root-1/node-1', {
    message: { role: 'user', content: 'Weather in Paris?' },
    children: ['root-1/node-2', 'root-1/node-3'],
    metadata: { tags: ['x'], custom_data: { k: 1 }, split_source: 'root-1/node-9' },
  });
  putNode(folder, 'root-1/node-2', {
    parent: 'root-1/node-1',
    children: ['root-1/node-4'],
    message: {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me check.' },
        { type: 'tool-use', id: 'call_1', name: 'get_weather', parameters: { location: 'Paris' } },
      ],
    },
    metadata: {
      timestamp: '2025-01-01T00:00:02.000Z',
      source_info: {
        type: 'model',
        provider: 'openai',
        model_name: 'gpt-4o-mini',
        parameters: { max_tokens: 1024, temperature: 1, model: 'gpt-4o-mini' },
        finish_reason: 'tool_calls',
        usage: { input_tokens: 10, output_tokens: 5, raw: {} },
        tools: [],
        tool_choice: 'auto',
      },
    },
  });
  putNode(folder, 'root-1/node-3', {
    parent: 'root-1/node-1',
    message: {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_9', type: 'function', function: { name: 'search', arguments: '{"query": "test"}' } }],
    },
    metadata: { source_info: { type: 'model', parameters: { model: 'gpt-3.5' } } },
  });
  putNode(folder, 'root-1/node-4', {
    parent: 'root-1/node-2',
    message: { role: 'tool', content: 'Sunny.', tool_call_id: 'call_1' },
    metadata: { timestamp: '2025-01-01T00:00:03.000Z', source_info: { type: 'tool_result' } },
  });
  putNode(folder, 'root-2/node-1', { message: { role: 'user', content: 'Forget this' } });
  put(
    folder,
    'config.toml',
    `currentNodeId = "root-1/node-2"
[providers.openai]
apiKey = "sk-secret"
[[bookmarks]]
title = "The call"
rootId = "root-1"
nodeId = "root-1/node-2"
createdAt = "2025-01-05T00:00:00.000Z"
updatedAt = "2025-01-05T00:00:00.000Z"
`,
  );
  return folder;
}

/** Every file with its content and time, to see that none was touched. */
export function snapshot(folder: string): Record<string, string> {
  const names = (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  return Object.fromEntries(
    names.sort().map((name) => {
      const path = join(folder, name);
      return [name, `${statSync(path).mtimeMs} ${readFileSync(path, 'utf8')}`];
    }),
  );
}
