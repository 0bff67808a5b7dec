/** Branches and models side by side. */
import { user } from '@skein/core';
import { says } from '@skein/emulator';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inChromium, startApp } from './kit.ts';

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
  const { url, open, emulator, forest } = await startApp();
  const { id, head } = await forest.threads.begin([user('Porto?')]);
  emulator.script('anthropic-messages', [
    { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Porto' } }] },
    says('Nineteen degrees.'),
  ]);
  const asked = await fetch(`${url}/api/v1/generations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ node: head, thread: id, tools: ['get_weather'] }),
  });
  const generation = ((await asked.json()) as { id: string }).id;
  const page = await open(`/compare?nodes=g-${generation},${head}`);
  const column = page.getByRole('region', { name: 'Branch 1' });
  await column.getByRole('region', { name: 'Approval' }).getByRole('button', { name: 'Approve' }).click();
  await column.getByText('Nineteen degrees.').waitFor();
  expect(new URL(page.url()).pathname).toBe('/compare');
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
