import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'vitest';
import { makeDialect } from '../make-dialect.ts';
import { openaiResponsesSpec } from './index.ts';
import { judgeOpenAIResponses } from '../../../../emulator/src/rules/openai-responses/judge.ts';
const dialect = makeDialect(openaiResponsesSpec);
const folder = '/work/shared/corpus/openai-responses/';
it('scratch', () => {
  const tally: Record<string, number> = {};
  const bump = (k: string) => { tally[k] = (tally[k] ?? 0) + 1; };
  for (const name of readdirSync(folder)) {
    const file = JSON.parse(readFileSync(folder + name, 'utf8'));
    for (const turn of file.turns) {
      if (!turn.request || turn.path?.includes('compact')) continue;
      const parts = dialect.readRequest(JSON.stringify(turn.request));
      const w = dialect.writeRequest({ model: parts.model!, messages: parts.messages, ...(parts.system && { system: [parts.system] }), tools: parts.tools, params: parts.params, extra: `{${Object.entries(parts.rest).map(([k, v]) => `${JSON.stringify(k)}:${v}`).join(',')}}` });
      const body = JSON.parse(w.body);
      const same = JSON.stringify(body.input) === JSON.stringify(typeof turn.request.input === 'string' ? [{ role: 'user', content: turn.request.input }] : turn.request.input ?? []);
      bump(same ? 'same' : `differs ${w.losses.map((l) => l.reason).join('+')}`);
      if (!same && w.losses.some(l=>l.reason==='late-result' || l.reason==='tool-unanswered')) console.log(name, JSON.stringify(w.losses), turn.request.previous_response_id);
      const v = judgeOpenAIResponses({ body: w.body, headers: {}, path: '/v1/responses' } as never);
      bump('verdict ' + JSON.stringify(v).slice(0, 150));
    }
  }
  console.log(JSON.stringify(tally, null, 1));
});
