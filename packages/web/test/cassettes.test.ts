/** Cassettes on the page: the files, what drifted, and rules that a person accepts. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@skein/agents';
import { cassetteFetch, recordFetch } from '@skein/forest';
import { expect, onTestFinished, test } from 'vitest';
import { inChromium, startApp } from './kit.ts';

inChromium();

const ADDRESS = 'https://api.openai.com/v1/chat/completions';
const answer = async () => Response.json({ choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }] });
const ask = (content: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content }] }),
});

test('cassettes are compared with what programs asked, and an accepted rule makes them answer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-page-cassettes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tape = cassetteFetch({ cassette: folder, mode: 'record-missing', fetch: answer });
  for (const content of ['It is 08:00. Name a river.', 'Nobody asks this.'])
    await (await tape(ADDRESS, ask(content))).text();
  await tape.finish();
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const app = await startApp({ config: { ...config, cassettes: folder } });
  const send = recordFetch(app.forest, { fetch: answer });
  await (await send(ADDRESS, ask('It is 09:30. Name a river.'))).text();
  await send.settled();

  const page = await app.open('/recordings');
  await page.getByRole('link', { name: 'Cassettes' }).click();
  await page.waitForURL(/\/cassettes$/);
  const files = page.getByRole('region', { name: 'Files' });
  await files.getByRole('rowheader', { name: '0002-gpt-5.2.json' }).waitFor();
  expect(await files.getByRole('row').count()).toBe(3);
  await page.getByText('Everything in a request is compared.').waitFor();

  const check = page.getByRole('region', { name: 'Would they still answer?' });
  await check.getByRole('button', { name: 'Compare' }).click();
  const status = check.getByRole('status');
  await status.getByText('1 request compared · 0 answered · 1 drifted · 2 cassettes not needed').waitFor();
  const drifted = check.getByRole('region', { name: 'Requests that no cassette answers' });
  await drifted.getByText('The nearest is 0001-gpt-5.2.json').waitFor();
  expect(await drifted.getByRole('link', { name: 'Show the request' }).getAttribute('href')).toMatch(
    /^\/recordings\/./,
  );

  const accept = check.getByRole('button', { name: /^Accept/ });
  expect(await accept.isDisabled()).toBe(true);
  await check.getByRole('checkbox', { name: 'messages[0].content dates and times in it' }).check();
  await check.getByRole('button', { name: 'Accept 1 rule' }).click();
  await status.getByText('1 request compared · 1 answered · 0 drifted · 1 cassette not needed').waitFor();
  await check
    .getByRole('region', { name: 'Cassettes that answer none of these' })
    .getByText('0002-gpt-5.2.json')
    .waitFor();
  await page.getByRole('region', { name: 'What is not compared' }).getByText('messages[0].content').waitFor();
  expect(readFileSync(join(folder, 'ignore.json'), 'utf8')).toContain('messages[0].content');
});

test('where there are no cassettes, the page says how to make some', async () => {
  const { open } = await startApp();
  const page = await open('/recordings/cassettes');
  await page.getByText('There are no cassettes here').waitFor();
  await page.getByText('skein record --to cassettes').waitFor();
});
