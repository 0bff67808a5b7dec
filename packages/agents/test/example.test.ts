import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('./example/', import.meta.url));

/** It imports the built packages, as users do; `npm test` builds before it tests. */
test('the example runs: YAML, a tool module, built-in tools and an MCP server', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['run.mjs'], { cwd: folder });
  expect(stderr).toBe('');
  expect(stdout).toContain(
    'todo: Todo, google/gemini-3-pro-preview, add_task clear_tasks search_files current_time mcp:clock',
  );
  expect(stdout).toContain('milk is almost gone');
  expect(stdout).toContain('note: Added: Buy milk');
  expect(stdout).toContain('result: 01:00:00');
  expect(stdout).toContain('Answer: I have put milk on your list.');
});
