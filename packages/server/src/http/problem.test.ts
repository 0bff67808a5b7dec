import { ForestError, StoreError } from '@skein/forest';
import { expect, test } from 'vitest';
import { toProblem } from './problem.ts';

test('a client hears what it can do something about, and nothing of the rest', () => {
  const gone = toProblem(new StoreError('store_unreachable', 'PostgreSQL at db/skein: it cannot be reached.'));
  expect(gone).toMatchObject({ status: 503, code: 'store_unreachable', message: expect.stringContaining('reached') });
  expect(toProblem(new ForestError('unknown_node', 'x', 'There is no node x.'))).toMatchObject({ status: 404 });

  const hidden = { status: 500, code: 'internal_error', message: expect.stringContaining('its log says what') };
  expect(toProblem(new StoreError('store_failed', 'Writing /home/me failed.'))).toMatchObject(hidden);
  expect(toProblem(Object.assign(new Error('secret'), { code: 'constructor' }))).toMatchObject(hidden);
  expect(toProblem(undefined)).toMatchObject(hidden);
});
