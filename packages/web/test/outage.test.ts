/** The server goes away, and comes back. */
import { assistant, user } from '@skein/core';
import { says } from '@skein/emulator';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type App, inChromium, startApp } from './kit.ts';

inChromium();

const troubles = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;

/** A question with two answers. */
async function twoAnswers({ forest }: App): Promise<{ question: string; one: string; two: string }> {
  const question = await forest.append('root', [user('Which?')]);
  const one = await forest.append(question, [assistant('This one.')]);
  return { question, one, two: await forest.append(question, [assistant('That one.')]) };
}

test('a server that is started again does not blank the conversation that is open', async () => {
  const app = await startApp();
  const { question, one } = await twoAnswers(app);
  const page = await app.open(`/c/${one}`, { troubles });
  const shown = page.getByRole('article', { name: 'assistant message' });
  await shown.getByText('1/2').waitFor();
  await app.stop();
  await page
    .getByText(/The server cannot be reached/)
    .first()
    .waitFor();
  await app.start();
  // What happened while nobody told of it is seen as well.
  await app.forest.append(question, [assistant('Neither.')]);
  await app.forest.rate(one, 4);
  await page.getByText(/The server cannot be reached/).waitFor({ state: 'detached' });
  await shown.getByText('1/3').waitFor();
  await shown.getByRole('img', { name: 'Rated good' }).waitFor();
  await shown.getByText('This one.').waitFor();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  expect(await page.getByRole('status', { name: 'Loading the conversation' }).count()).toBe(0);
});

test('a server that is started again does not blank what is compared', async () => {
  const app = await startApp();
  const { one, two } = await twoAnswers(app);
  const page = await app.open(`/compare?nodes=${one},${two}`, { troubles });
  const second = page.getByRole('region', { name: 'Branch 2' });
  await second.getByText('That').waitFor();
  await app.stop();
  await page
    .getByText(/The server cannot be reached/)
    .first()
    .waitFor();
  const renewed = page.waitForResponse(new RegExp(`/nodes/${two}/path`));
  await app.start();
  await renewed;
  await second.getByText('That').waitFor();
  expect(await page.getByRole('status', { name: /^Loading branch/ }).count()).toBe(0);
});

test('what had arrived before the server crashed is shown, and goes on when it is resumed', async () => {
  const app = await startApp();
  const slow = says('The first half and the second.', { pieces: 15, chunkDelay: 1 });
  app.emulator.script('anthropic-messages', [slow, says('All of it.')]);
  const first = await app.open('/new');
  app.gate.shut();
  await first.getByRole('textbox', { name: 'Message' }).fill('Tell me.');
  await first.keyboard.press('Control+Enter');
  const growingIn = (one: Page) => one.getByRole('article', { name: 'growing message' });
  await app.gate.pass(3);
  await growingIn(first).getByText('The first half').waitFor();
  // Closed, so that it does not hear how this server ends in truth.
  await first.close();
  await app.stop({ crashes: true });
  await app.start();
  const page = await app.open(new URL(first.url()).pathname);
  const growing = growingIn(page);
  await growing.getByText('Stopped. What had arrived is kept.').waitFor();
  await growing.getByText('The first half').waitFor();
  app.gate.open();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('article', { name: 'assistant message' }).getByText('All of it.').waitFor();
});

test('a message that cannot be sent is not hidden by the words that say so, which go when the server is back', async () => {
  const app = await startApp();
  const { one } = await twoAnswers(app);
  const page = await app.open(`/c/${one}`, { troubles });
  await page.getByRole('article', { name: 'assistant message' }).waitFor();
  const state = page.getByRole('button', { name: /^file store · recording/ });
  await state.and(page.getByRole('button', { name: /work$/ })).waitFor();
  await app.stop();
  await page.getByText(/What you see may be old/).waitFor();
  await state.and(page.getByRole('button', { name: /does not answer$/ })).waitFor();
  const input = page.getByRole('textbox', { name: 'Message' });
  await input.fill('Are you there?');
  await page.keyboard.press('Control+Enter');
  const notice = page.getByRole('region', { name: 'Notices' }).getByRole('alert');
  const [said, field] = [await notice.boundingBox(), await input.boundingBox()];
  expect(said!.y + said!.height).toBeLessThan(field!.y);
  await app.start();
  await notice.waitFor({ state: 'detached' });
  await state.and(page.getByRole('button', { name: /work$/ })).waitFor();
  expect(await input.inputValue()).toBe('Are you there?');
});

test('a screen whose program is gone since an update says so, and the other screens are there', async () => {
  const app = await startApp();
  const page = await app.open('/', { troubles: /ERR_FAILED|Failed to fetch dynamically imported module/ });
  await page.route(/graph-screen/, (route) => route.abort());
  const screens = page.getByRole('list', { name: 'Screens' });
  await screens.getByRole('link', { name: 'Graph' }).click();
  await page.getByRole('alert').getByRole('heading', { name: 'This screen could not be shown' }).waitFor();
  await page.getByRole('button', { name: 'Load the page again' }).waitFor();
  await screens.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  expect(await page.getByText('This screen could not be shown').count()).toBe(0);
});
