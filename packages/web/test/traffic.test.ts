/** Recorded calls, what they cost, and the keys of the page. */
import { loadConfig } from '@skein/agents';
import { costOf } from '@skein/core/prices';
import { says } from '@skein/emulator';
import { recordFetch } from '@skein/forest';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { inChromium, openScreen, program, startApp } from './kit.ts';

inChromium();

const cached = (text: string, cacheRead: number) => ({
  ...says(text),
  usage: { input: 4000, cached: cacheRead, output: 50 },
});

test('recordings say what was asked, are filtered, drawn over time, read in Pretty and Exact, and sent again', async () => {
  const app = await startApp({ generate: { random: () => 0, costOf } });
  const call = program(app);
  await call({ messages: [{ role: 'user', content: 'Name a river.' }], session: 's-1' }, cached('Tagus.', 0));
  await Promise.all([
    call({ messages: [{ role: 'user', content: 'Name a mountain.' }], session: 's-1' }, cached('Estrela.', 3000)),
  ]);
  await call({ messages: [{ role: 'user', content: 'Name a city.' }], session: 's-2' }, says('Porto.'));
  const marker = { cache_control: { type: 'ephemeral' } };
  const drifting = (minute: string) => ({
    system: [{ type: 'text', text: `It is 2026-10-05 08:${minute}. Be brief.`, ...marker }],
  });
  const lake = { role: 'user', content: 'Name a lake.' };
  const { content } = await call({ ...drifting('00'), messages: [lake], session: 's-3' }, cached('Alqueva.', 2000));
  const more = [lake, { role: 'assistant', content }, { role: 'user', content: 'And a bay.' }];
  await call({ ...drifting('05'), messages: more, session: 's-3' }, cached('Biscay.', 0));
  const page = await app.open('/recordings');
  const link = (name: string) => page.getByRole('main').getByRole('link', { name, exact: true });
  await link('Name a river.').first().waitFor();
  await link('Name a city.').first().waitFor();
  await page.getByRole('main').getByText('75 %').waitFor();

  await page.getByRole('searchbox', { name: 'Search calls' }).fill('mountain');
  await link('Name a city.').waitFor({ state: 'detached' });
  await page.waitForURL(/text=mountain/);
  await page.getByRole('searchbox', { name: 'Search calls' }).fill('');
  await link('Name a city.').waitFor();

  await page
    .getByRole('link', { name: /^Show session/ })
    .last()
    .click();
  const waterfall = page.getByRole('figure', { name: 'Session over time' });
  await waterfall.getByText('2 calls').waitFor();
  await link('Name a city.').waitFor({ state: 'detached' });

  await waterfall.getByRole('link', { name: /mountain/ }).click();
  const pane = page.getByRole('complementary', { name: 'Recording' });
  await pane.getByRole('article', { name: 'assistant' }).getByText('Estrela.').waitFor();
  await pane.getByRole('tab', { name: 'Response' }).click();
  await pane.getByRole('button', { name: 'Pretty' }).click();
  const body = pane.getByRole('region', { name: 'Response body' });
  await body.getByRole('button', { name: 'Fold all' }).click();
  await body.getByRole('button', { name: 'Unfold all' }).waitFor();
  await pane.getByRole('button', { name: 'Exact' }).click();
  await body.getByRole('button', { name: 'Unfold all' }).waitFor({ state: 'detached' });

  app.emulator.script('anthropic-messages', says('Pico.'));
  await pane.getByRole('button', { name: 'Send again' }).click();
  await page.waitForURL(/\/compare\?nodes=/);
  await page.getByRole('region', { name: 'Branch 1' }).getByText('Estrela.').waitFor();
  await page.getByRole('region', { name: 'Branch 2' }).getByText('Pico.').waitFor();

  await openScreen(page, 'u');
  await page.waitForURL(/\/usage/);
  const sums = page.getByRole('region', { name: 'Sums' });
  await sums.getByRole('rowheader', { name: /claude-sonnet-4-5/ }).waitFor();
  await page.locator('canvas').waitFor();
  await page.getByText('Show as a table').click();
  const today = page
    .getByRole('region', { name: /Cost by day/ })
    .getByRole('row')
    .last();
  expect(await today.innerText()).toMatch(/\$0\.\d+/);
  await page.getByRole('combobox', { name: 'Divide by' }).selectOption('app');
  await sums.getByRole('rowheader', { name: 'Skein' }).waitFor();

  // What the same requests would have cost otherwise.
  const whatIf = page.getByRole('region', { name: 'What if' });
  for (const name of ['Tools sorted by name', 'Kept for an hour'])
    await whatIf.getByRole('checkbox', { name }).uncheck();
  const [model] = await whatIf.getByRole('combobox', { name: 'Another model' }).selectOption({ index: 2 });
  await whatIf.getByRole('button', { name: 'Simulate' }).click();
  const simulated = whatIf.getByRole('region', { name: 'What it would have cost' });
  await simulated.getByRole('rowheader', { name: `Answered by ${model}` }).waitFor();
  const heads = await simulated.getByRole('rowheader').allInnerTexts();
  expect(heads.slice(0, 2)).toEqual(['As it was sent', 'Markers behind system text and last message']);
  expect(heads).toHaveLength(3);
  expect(await simulated.getByRole('row').nth(1).innerText()).toMatch(/\$\d/);

  // Why caches missed: in all, and along the turns of the conversation that shows it.
  const causes = page.getByRole('region', { name: 'What prompt caches missed' });
  const drift = causes.getByRole('listitem').filter({ hasText: 'system[0].text' });
  await drift.getByText('2k tokens missed').waitFor();
  await drift.getByText('contains a time that differs').waitFor();
  await drift.getByRole('link', { name: 'Show the last one' }).click();
  await page.waitForURL(/\/t\//);
  await page.getByRole('article', { name: 'assistant' }).getByText('Biscay.').click();
  await page.keyboard.press('r');
  await page.getByRole('tab', { name: 'Usage' }).click();
  const turns = page.getByRole('region', { name: 'The cache along the turns' }).getByRole('listitem');
  await turns.filter({ hasText: 'Miss' }).getByText('contains a time that differs').waitFor();
  await turns.filter({ hasText: 'Hit' }).getByRole('button', { name: 'Show the reply' }).click();
  await turns.filter({ hasText: 'Miss' }).getByRole('button', { name: 'Show the reply' }).waitFor();
});

test('the costs by day are a table for a screen reader, which passes over the drawing', async () => {
  const app = await startApp({ generate: { random: () => 0, costOf } });
  const call = program(app);
  const ask = { messages: [{ role: 'user', content: 'Name a river.' }] };
  await call(ask, cached('Tagus.', 0));
  await call({ ...ask, model: 'claude-haiku-4-5' }, cached('Douro.', 0));
  const page = await app.open('/usage');
  await page.locator('canvas').waitFor();
  expect(await page.locator('[aria-hidden=true] canvas').count()).toBe(await page.locator('canvas').count());
  const figure = page.getByRole('figure', { name: 'Cost by day' });
  await figure.getByText('Show as a table').focus();
  await page.keyboard.press('Enter');
  const table = figure.getByRole('region', { name: 'Cost by day' }).getByRole('table');
  const heads = await table.getByRole('columnheader').allInnerTexts();
  expect(heads).toEqual(['Day', expect.stringContaining('sonnet'), expect.stringContaining('haiku')]);
  expect(await table.getByRole('rowheader').count()).toBe(1);
  const sums = page.getByRole('region', { name: 'Sums' });
  for (const [at, name] of heads.slice(1).entries()) {
    const row = sums.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });
    const cost = await table.getByRole('cell').nth(at).innerText();
    expect(cost).toMatch(/^\$0\.0\d+/);
    expect(await row.getByRole('cell').last().innerText(), name).toBe(cost);
  }
});

test('the chart of seven days names each day once', async () => {
  const app = await startApp({ generate: { random: () => 0, costOf } });
  await program(app)({ messages: [{ role: 'user', content: 'Name a river.' }] }, cached('Tagus.', 0));
  const page = await app.open('/recordings');
  await page.addInitScript(`{
    globalThis.drawn = [];
    const draw = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
      drawn.push(text);
      return draw.call(this, text, ...place);
    };
  }`);
  await page.goto(`${app.url}/usage?by=app&days=7`);
  await page.locator('canvas').waitFor();
  const days = () => page.evaluate<string[]>(`drawn.filter((text) => /^[A-Z][a-z]{2} \\d+$/.test(text))`);
  await expect.poll(async () => (await days()).length).toBeGreaterThan(0);
  const drawn = await days();
  // It may be drawn more than once.
  const last = drawn.slice(drawn.lastIndexOf(drawn[0]!));
  expect(last).toEqual([...new Set(last)]);
});

test('calls are filtered by model, outcome, latency and cost, and budgets say what is left of them', async () => {
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const tokens = [{ name: 'ci', variable: 'CI_TOKEN', budget: { costPerDay: 2, requestsPerMinute: 30 } }];
  const app = await startApp({ config: { ...config, gateway: { ...config.gateway, tokens } } });
  await program(app)({ messages: [{ role: 'user', content: 'Name a river.' }] }, says('Tagus.'));
  const page = await app.open('/recordings');
  const call = page.getByRole('main').getByRole('link', { name: 'Name a river.' });
  await call.waitFor();
  const none = page.getByText('No call matches these filters');
  const filter = (name: string, value: string) => page.getByRole('combobox', { name }).selectOption(value);
  for (const [name, fits, does] of [
    ['Model', 'claude-sonnet-4-5', true],
    ['Outcome', 'failed', false],
    ['Outcome', 'done', true],
    ['Time', '60000', false],
    ['Cost', '1', false],
  ] as const) {
    await filter(name, fits);
    await (does ? call : none).waitFor();
    if (!does) await filter(name, '');
  }
  await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
  await call.waitFor();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('budget');
  await page.keyboard.press('Enter');
  const budgets = page.getByRole('region', { name: 'Budgets' });
  await budgets.getByText('$0 of $2.00 today').waitFor();
});

test('a key is changed in Settings, a conflict is told, and the new key works at once', async () => {
  const { open } = await startApp();
  const page = await open('/settings');
  const keys = page.getByRole('region', { name: 'Keys', exact: true });
  await keys.getByRole('button', { name: 'Change the key of: Help: all keys' }).click();
  await page.keyboard.press('n');
  await keys.getByRole('alert').getByText('New conversation').waitFor();
  await keys.getByRole('button', { name: 'Leave it' }).click();
  await keys.getByRole('button', { name: 'Change the key of: Help: all keys' }).click();
  await page.keyboard.press('F1');
  await keys.getByRole('button', { name: 'Reset the key of: Help: all keys' }).waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('F1');
  await page.getByRole('dialog', { name: 'Keys' }).getByText('F1').waitFor();
});

test('a recorded call says model, tokens, time against the slowest and what was lost, and parallel calls are seen as such', async () => {
  const app = await startApp();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let started = 0;
  const send = recordFetch(app.forest, {
    fetch: async () => {
      started += 1;
      await released;
      const content = [{ type: 'text', text: 'Tagus.' }];
      return Response.json({
        ...{ id: `msg_${started}`, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content },
        ...{ stop_reason: 'end_turn', usage: { input_tokens: 1200, output_tokens: 34 } },
      });
    },
  });
  const ask = (content: string) =>
    send('https://api.anthropic.com/v1/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-claude-code-session-id': 's-1' },
      body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 99, messages: [{ role: 'user', content }] }),
    });
  const both = ['Name a river.', 'Name a lake.'].map(ask);
  await expect.poll(() => started).toBe(2);
  release();
  for (const response of await Promise.all(both)) await response.text();
  await send.settled();
  app.emulator.script('anthropic-messages', says('Answered by Claude.'));
  const client = new OpenAI({ apiKey: 'skein', baseURL: `${app.url}/gateway/openai/v1`, maxRetries: 0 });
  await client.chat.completions.create({
    ...{ model: 'anthropic/claude-sonnet-4-5', seed: 7 },
    messages: [{ role: 'user', content: 'Who are you?' }],
  });
  const page = await app.open('/recordings');
  const main = page.getByRole('main');
  const row = (prompt: string) =>
    main.locator('div.relative', { has: page.getByRole('link', { name: prompt, exact: true }) }).last();
  const river = row('Name a river.');
  await river.getByText('claude-sonnet-4-5').waitFor();
  await river.getByText('1.2k → 34').waitFor();
  const bar = river.locator('span[aria-hidden] > span[style]');
  const share = Number.parseFloat((await bar.getAttribute('style'))!.replace(/[^\d.]/g, ''));
  expect(share).toBeGreaterThan(0);
  expect(share).toBeLessThanOrEqual(100);
  await row('Who are you?')
    .getByText(/\d+ lost/)
    .waitFor();
  await river.getByRole('link', { name: /^Show session/ }).click();
  const waterfall = page.getByRole('figure', { name: 'Session over time' });
  await waterfall.getByText('up to 2 at the same time').waitFor();
});
