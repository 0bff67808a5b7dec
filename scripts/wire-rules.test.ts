import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from './setup.mjs';

const page = readFileSync(`${root}docs/wire-rules.md`, 'utf8');
const protocols = [
  'anthropic-messages',
  'openai-chat',
  'openai-responses',
  'google-generatecontent',
  'google-interactions',
];

/** The ids that have a row in a protocol's section of the page. */
function documented(protocol: string) {
  const section = page.split(/^## /m).find((text) => text.includes(`protocol \`${protocol}\`.`));
  return new Set([...(section ?? '').matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, id]) => id));
}

function usedInCode(protocol: string) {
  const folder = `${root}packages/emulator/src/rules/${protocol}`;
  const files = readdirSync(folder).filter((name) => /^(judge|rules[^.]*)\.ts$/.test(name));
  return files.flatMap((name) =>
    [...readFileSync(`${folder}/${name}`, 'utf8').matchAll(/\bid: '([a-z0-9-]+)'/g)].map(([, id]) => id),
  );
}

test.each(protocols)('docs/wire-rules.md has a row for every rule of %s', (protocol) => {
  const rows = documented(protocol);
  expect(rows.size).toBeGreaterThan(10);
  expect(usedInCode(protocol).filter((id) => !rows.has(id))).toEqual([]);
});
