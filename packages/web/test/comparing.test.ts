/** Branches and models side by side. */
import { assistant, user } from '@skein/core';
import { costOf } from '@skein/core/prices';
import { says } from '@skein/emulator';
import { seedSample } from '@skein/server';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { askForApproval, inChromium, startApp } from './kit.ts';

inChromium();

async function chooseModels(page: Page, models: readonly string[]): Promise<void> {
  await page.getByRole('button', { name: 'Models', exact: true }).click();
  for (const model of models) {
    await page.getByRole('searchbox', { name: 'Find a model' }).fill(model);
    await page.getByRole('checkbox', { name: model, exact: true }).check();
  }
  await page.keyboard.press('Escape');
}

test('a tool call that needs approval is decided in its Compare column', async () => {
  const app = await startApp();
  const { other, generation } = await askForApproval(app);
  const page = await app.open(`/compare?nodes=g-${generation},${other}`);
  const column = page.getByRole('region', { name: 'Branch 1' });
  await column.getByRole('region', { name: 'Approval' }).getByRole('button', { name: 'Approve' }).click();
  await column.getByText('Nineteen degrees.').waitFor();
  expect(new URL(page.url()).pathname).toBe('/compare');
});

test('conversations are asked again with other models, the answers stand in a grid, and the best one is kept', async () => {
  const { open, emulator, forest } = await startApp();
  const norway = await forest.threads.begin([user('The capital of Norway?'), assistant('Bergen.')]);
  const italy = await forest.threads.begin([user('The capital of Italy?'), assistant('Rome.')]);
  for (const [{ id }, title] of [[norway, 'Norway'] as const, [italy, 'Italy'] as const])
    await forest.threads.rename(id, title);
  emulator.script('anthropic-messages', [says('Oslo.'), says('Rome.')]);
  const page = await open('/compare');
  await page.getByRole('link', { name: 'Ask conversations again' }).click();
  await page.getByRole('heading', { name: 'Ask again with other models' }).waitFor();
  const start = page.getByRole('button', { name: 'Run', exact: true });
  expect(await start.isDisabled()).toBe(true);
  for (const title of ['Norway', 'Italy']) await page.getByRole('checkbox', { name: title }).check();
  await chooseModels(page, ['anthropic/claude-sonnet-4-5']);
  await start.click();
  await page.getByRole('status').getByText('2 of 2 answers').waitFor();
  const answers = page.getByRole('region', { name: 'Answers' });
  const row = answers.getByRole('row').filter({ hasText: 'Norway' });
  for (const text of ['Bergen.', 'Oslo.']) await row.getByText(text).waitFor();
  await answers.getByRole('row').filter({ hasText: 'Italy' }).getByText('same answer').waitFor();
  await row.getByText('differs from character 1 on').waitFor();
  await row.getByRole('button', { name: 'Keep the answer of anthropic/claude-sonnet-4-5' }).click();
  await page.waitForURL(new RegExp(`/t/${norway.id}`));
  await page.getByRole('article', { name: 'assistant' }).getByText('Oslo.').waitFor();
  expect((await forest.node((await forest.threads.get(norway.id)).head)).message.text).toBe('Oslo.');
});

test('the model list of Compare does not begin with openai/ada', async () => {
  const { open } = await startApp();
  const page = await open('/compare');
  await page.getByRole('button', { name: 'Models', exact: true }).click();
  const first = await page
    .getByRole('dialog', { name: 'Models to ask' })
    .getByRole('checkbox')
    .first()
    .evaluate((box) => (box.closest('label') as HTMLElement).innerText);
  expect(first).toContain('claude');
  await page.keyboard.press('Escape');
  await chooseModels(page, ['openai/gpt-5']);
  await page.getByRole('list', { name: 'Chosen models' }).getByText('gpt-5').waitFor();
});

test('Compare opens on rendered text with the differing words marked, not on its source', async () => {
  const { open, forest, emulator } = await startApp();
  await seedSample(forest);
  const { head } = await forest.threads.get('sample-debounce');
  const fork = (await forest.path(head)).find(({ childCount }) => childCount > 1)!;
  const [a, b] = (await forest.children(fork.id)).items;
  const page = await open(`/compare?nodes=${a!.id},${b!.id}`);
  const second = page.getByRole('region', { name: 'Branch 2' });
  await second
    .getByText(/words? differ/)
    .first()
    .waitFor();
  await second.locator('code').first().waitFor();
  const marked = () =>
    page.evaluate(`[...(CSS.highlights.get('skein-added') ?? [])].map((range) => range.toString()).join('|')`);
  expect(await marked()).not.toBe('');
  expect(await second.innerText()).not.toMatch(/\*\*|```/);
  // The source is one key away, as are the texts without marks.
  await page.keyboard.press('r');
  await second.locator('ins, del').first().waitFor();
  await page.keyboard.press('r');
  await page.keyboard.press('d');
  await expect.poll(marked).toBe('');
  // Judged, asked of another model in place, and kept.
  await page.getByRole('button', { name: 'Good answer in column 2' }).click();
  await page.getByRole('button', { name: 'Good answer in column 2', pressed: true }).waitFor();
  expect((await forest.node(b!.id)).marks.rating).toBe(1);
  emulator.script('openai-responses', says('A third opinion.'));
  await chooseModels(page, ['openai/gpt-5']);
  await page.getByRole('button', { name: 'Ask 1 model' }).click();
  await page.getByRole('region', { name: 'Branch 3' }).getByText('A third opinion.').waitFor();
  await page.getByRole('button', { name: 'Keep this one: branch 2' }).click();
  await page.waitForURL(/\/t\//);
  await expect.poll(async () => (await forest.threads.get('sample-debounce')).head).toBe(b!.id);
});

test('Settings names the agent file that failed to load', async () => {
  const problem = {
    severity: 'error',
    code: 'wrong-type',
    file: '/home/me/agents/bad.yaml',
    line: 3,
    key: 'model',
    message: 'It has to be a text.',
    fix: 'Write provider/model.',
  } as const;
  const { open } = await startApp({ problems: [problem] });
  const page = await open('/settings');
  const problems = page.getByRole('region', { name: 'Problems' });
  await problems.getByText('/home/me/agents/bad.yaml:3').waitFor();
  expect(await problems.innerText()).not.toContain('None');
  await page.getByRole('button', { name: /There are problems/ }).click();
  await page.getByText('agents/bad.yaml: It has to be a text.').waitFor();
});

test('turns stand beside each other, and bars compare cost, time and length', async () => {
  const app = await startApp({ generate: { random: () => 0, costOf } });
  const { forest, emulator, url } = app;
  const usage = (input: number) => ({ usage: { input, cached: 0, output: input / 10 } });
  emulator.script('anthropic-messages', [
    { ...says('Long. '.repeat(200)), ...usage(8000) },
    { ...says('Short.'), ...usage(2000) },
  ]);
  const { id, head } = await forest.threads.begin([user('How long?')], { title: 'Lengths' });
  const ends: string[] = [];
  for (let count = 1; count <= 2; count++) {
    const asked = await fetch(`${url}/api/v1/generations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ node: head, thread: id }),
    });
    const generation = (await asked.json()) as { id: string };
    const status = async () =>
      ((await (await fetch(`${url}/api/v1/generations/${generation.id}`)).json()) as { status: string }).status;
    await expect.poll(status).toBe('done');
    const made = (await forest.children(head)).items.find((node) => !ends.includes(node.id))!;
    ends.push(made.id);
  }
  const leaves: string[] = [];
  for (const [at, end] of ends.entries())
    leaves.push(await forest.append(end, [user(`And then ${at}?`), assistant('Well.')]));
  const page = await app.open(`/compare?nodes=${leaves.join()}`);
  const columns = [1, 2].map((number) => page.getByRole('region', { name: `Branch ${number}` }));
  const tops = await Promise.all(
    columns.map(async (column, at) => {
      await column.getByText(`And then ${at}?`).waitFor();
      return (await column.getByRole('article', { name: 'user' }).boundingBox())!.y;
    }),
  );
  expect(tops[0]).toBe(tops[1]);
  const figures = await Promise.all(
    columns.map((column) =>
      column.locator('dl > div').evaluateAll((rows) =>
        rows.map((row) => ({
          name: row.querySelector('dt')!.textContent,
          share: Number.parseFloat((row.querySelector('dd > div') as HTMLElement).style.width),
          text: row.querySelector('dd:last-child')!.textContent,
        })),
      ),
    ),
  );
  expect(figures.map((rows) => rows.map(({ name }) => name))).toEqual(Array(2).fill(['Cost', 'Time', 'Length']));
  const [long, short] = figures;
  expect(long![0]).toMatchObject({ share: 100, text: expect.stringMatching(/^\$/) });
  expect(short![0]!.share).toBeCloseTo(25, 0);
  expect(Math.max(long![1]!.share, short![1]!.share)).toBe(100);
  expect(long![1]!.text).toMatch(/s$/);
  expect(long![2]).toMatchObject({ share: 100, text: '1.2k chars' });
  expect(short![2]!.share).toBeLessThan(5);
});
