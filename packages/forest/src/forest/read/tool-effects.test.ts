import type { ToolUseBlock } from '@skein/core';
import { expect, test } from 'vitest';
import { readToolEffect } from './tool-effects.ts';

const PATCH = `*** Begin Patch
*** Update File: src/a.ts
@@ function a
 one
-two
+three
*** Add File: b.ts
+new
*** Delete File: c.ts
*** End Patch`;
const PATCHED = {
  files: [
    { path: 'src/a.ts', changes: [{ before: 'one\ntwo', after: 'one\nthree' }] },
    { path: 'b.ts', changes: [{ before: '', after: 'new' }], whole: 'written' },
    { path: 'c.ts', changes: [], whole: 'deleted' },
  ],
};
const edited = (path: string) => ({ files: [{ path, changes: [{ before: 'a', after: 'b' }] }] });
const written = (path: string) => ({ files: [{ path, changes: [{ before: '', after: 'a' }], whole: 'written' }] });
const read = (path: string) => ({ files: [{ path, changes: [] }] });
const ran = (command: string) => ({ files: [], command });

test.each([
  ['Claude Code', 'Edit', { file_path: 'x', old_string: 'a', new_string: 'b' }, edited('x')],
  ['Claude Code', 'MultiEdit', { file_path: 'x', edits: [{ old_string: 'a', new_string: 'b' }] }, edited('x')],
  ['Claude Code', 'Write', { file_path: 'x', content: 'a' }, written('x')],
  ['Claude Code', 'Read', { file_path: 'x', limit: 5 }, read('x')],
  ['Claude Code', 'Bash', { command: 'ls', description: 'Lists' }, ran('ls')],
  ['Gemini CLI', 'replace', { file_path: 'x', old_string: 'a', new_string: 'b' }, edited('x')],
  ['Gemini CLI', 'read_file', { absolute_path: 'x' }, read('x')],
  ['OpenCode', 'edit', { filePath: 'x', oldString: 'a', newString: 'b' }, edited('x')],
  ['pi', 'edit', { path: 'x', edits: [{ oldText: 'a', newText: 'b' }] }, edited('x')],
  ['Codex', 'exec_command', { cmd: 'ls' }, ran('ls')],
  ['Codex', 'shell', { command: ['bash', '-lc', 'cat a | wc'] }, ran('cat a | wc')],
  ['Codex', 'shell', { command: ['git', 'status'] }, ran('git status')],
  ['Codex', 'local_shell', { action: { type: 'exec', command: ['ls', '-l'] } }, ran('ls -l')],
  ['Codex', 'shell', { command: ['bash', '-lc', `apply_patch <<'EOF'\n${PATCH}\nEOF`] }, PATCHED],
  ['others', 'search', { query: 'x' }, { files: [] }],
])('of %s: what %s does is told by its arguments', (_agent, name, parameters, effect) => {
  const call: ToolUseBlock = { type: 'tool-use', id: '1', name, parameters, rawParameters: JSON.stringify(parameters) };
  expect(readToolEffect(call)).toEqual(effect);
});

test('a patch that is the whole input of a custom tool', () => {
  const call: ToolUseBlock = {
    type: 'tool-use',
    id: '1',
    name: 'apply_patch',
    parameters: {},
    rawParameters: PATCH,
    form: 'custom',
  };
  expect(readToolEffect(call)).toEqual(PATCHED);
});
