/** Finding, comparing, mapping and inspecting what is there. */
import { says } from '@skein/emulator';
import { seedSample } from '@skein/server';
import { expect, test } from 'vitest';
import { inChromium, startApp } from './kit.ts';

inChromium();

test('one prompt goes to two models at once, each into its column', async () => {
  const { open, emulator, forest } = await startApp();
  emulator.script('anthropic-messages', says('From the one.'));
  emulator.script('openai-responses', says('From the other.'));
  const page = await open('/compare');
  const form = page.getByRole('form', { name: 'Ask several models' });
  for (const model of ['anthropic/claude-sonnet-4-5', 'openai/gpt-5']) {
    await form.getByRole('button', { name: 'Models' }).click();
    await page.getByRole('searchbox', { name: 'Find a model' }).fill(model);
    await page.getByRole('checkbox', { name: model, exact: true }).check();
    await page.keyboard.press('Escape');
  }
  await form.getByRole('textbox', { name: 'Prompt' }).fill('Who are you?');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('region', { name: 'Branch 1' }).getByText('From the one.').waitFor();
  await page.getByRole('region', { name: 'Branch 2' }).getByText('From the other.').waitFor();
  const [thread] = (await forest.threads.list()).items;
  const answers = (await forest.children((await forest.children('root')).items[0]!.id)).items;
  expect(answers.map(({ takes }) => takes[0]!.thread)).toEqual([thread!.id, thread!.id]);
});

test('a search finds what was said, shows it, and leads there', async () => {
  const { open, forest } = await startApp();
  await seedSample(forest);
  const page = await open('/');
  await page.getByRole('region', { name: 'Conversations' }).waitFor();
  await page.keyboard.press('/');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type('Graça');
  const results = page.getByRole('region', { name: 'Search results' });
  await results.locator('mark').getByText('Graça').first().waitFor();
  await results.getByRole('link').filter({ hasText: 'assistant' }).first().click();
  // A branch that no conversation leads to has the address of the message alone.
  await page.waitForURL(/\/(c|t\/[\w.:-]+)\/[0-9a-f]{40}$/);
  await page
    .getByRole('article', { name: /message/ })
    .filter({ hasText: 'Graça' })
    .first()
    .waitFor();
  await page.goBack();
  await results.waitFor();
});

test('the inspector shows the exact bytes that were stored', async () => {
  const { open, forest, emulator } = await startApp();
  emulator.script('anthropic-messages', {
    blocks: [
      { type: 'native', value: { type: 'future_block', id: 1 } },
      { type: 'text', text: 'Exact.' },
    ],
  });
  const page = await open('/new');
  await page.getByRole('textbox', { name: 'Message' }).fill('Be exact.');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('article', { name: 'assistant message' }).getByText('Exact.').waitFor();
  await page.getByLabel(/Unknown block future_block/).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).blur();
  await page.keyboard.press('r');
  const shown = page.getByRole('region', { name: 'Stored text' }).or(page.getByLabel('Stored text', { exact: true }));
  await shown.first().waitFor();
  const id = /\/([0-9a-f]{40})$/.exec(page.url())![1]!;
  const { raw } = (await forest.node(id)).message;
  await expect.poll(() => shown.first().innerText()).toContain(raw.slice(0, 60));
  await page.getByRole('tab', { name: 'Request' }).click();
  await page.getByRole('button', { name: 'Copy as curl' }).waitFor();
  await page.getByRole('tab', { name: 'Usage' }).click();
  await page
    .getByRole('region', { name: /This message|Message/i })
    .or(page.getByText(/output/i))
    .first()
    .waitFor();
});

test('the graph draws the forest, and keys walk in it', async () => {
  const { open, forest } = await startApp();
  await seedSample(forest);
  const page = await open('/graph');
  await page.getByRole('button', { name: 'Fit all' }).waitFor();
  const graph = page.getByLabel(/^Graph with \d+/);
  await graph.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.getByRole('region', { name: 'Focused message' }).or(page.getByLabel('Focused message')).first().waitFor();
  // A card that stands for a line of messages unfolds, and then it opens.
  const opened = /\/(t\/[\w.:-]+|c)\/[0-9a-f]{40}$/;
  await expect
    .poll(async () => {
      if (!opened.test(page.url())) await page.keyboard.press('Enter');
      return page.url();
    })
    .toMatch(opened);
});

test('a session of a coding agent is shown step by step, with its files, commands, subagents and time', async () => {
  const { open, forest } = await startApp();
  await seedSample(forest);
  const { items } = await forest.threads.list({ agent: 'claude-code' });
  const page = await open(`/t/${items.find(({ part }) => part === 'main')!.id}`);
  await page.getByRole('link', { name: 'Show its steps and files' }).click();
  const [first, second, third] = [1, 2, 3].map((number) => page.getByRole('article', { name: `Step ${number}` }));
  const command = first!.getByRole('article', { name: 'Command npm test -- cart' });
  await command.getByRole('button').click();
  await command.getByText('expected 29.98 to be 29.97').waitFor();
  const subagent = first!.getByRole('article', { name: /^Subagent Find every place/ });
  await subagent.getByRole('button').click();
  await subagent.getByText('Grep src').waitFor();
  const edit = second!.getByRole('article', { name: 'Changes of src/cart.ts' });
  await edit.getByRole('button').click();
  await edit.getByText('return round(exact);').waitFor();
  expect(await second!.getByText(/98 % from the cache/).count()).toBe(1);
  await third!.getByRole('article', { name: 'Compaction' }).waitFor();
  const files = page.getByRole('region', { name: 'Files' });
  await files.getByRole('article', { name: 'File CHANGELOG.md' }).getByRole('button').click();
  await files.getByRole('link', { name: 'Step 3' }).waitFor();
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline.getByRole('link', { name: 'Step 3' }).click();
  await page.waitForURL(/#step-3$/);
  expect(await timeline.getByText('Find every place in src that rounds', { exact: false }).count()).toBe(2);
});
