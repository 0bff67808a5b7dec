/** Everyone can use it: by keys alone, on a phone, with a screen reader, in both themes. */
import { says } from '@skein/emulator';
import { seedSample } from '@skein/server';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inChromium, program, startApp } from './kit.ts';

inChromium();

/** Loads axe into the page as text of the test, because the page's own rules forbid added scripts. */
const load = (page: Page) => page.evaluate(`${axe.source}; undefined`);

/**
 * What axe finds, one line each. axe reads the page in several steps, so it judges a page that holds still: an element that
 * React replaces between two steps has no text when axe asks for its name.
 */
async function judge(page: Page, rules: Pick<axe.RunOptions, 'runOnly'> = {}): Promise<string[]> {
  const found = await page.evaluate(`(async () => {
    let changes = 0;
    const observer = new MutationObserver(() => { changes += 1; });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    for (;;) {
      for (let before = -1; before !== changes || document.querySelector('main .animate-pulse'); ) {
        before = changes;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      const before = changes;
      const result = await axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...rules })});
      await new Promise((resolve) => setTimeout(resolve));
      if (changes === before) return result;
    }
  })()`);
  return (found as axe.AxeResults).violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  );
}

/** The rules of axe that see colours. */
const OF_COLOURS = { runOnly: ['color-contrast', 'link-in-text-block'] };

/** Follows a link of the page itself, which keeps axe and everything else that is loaded. */
const go = (page: Page, path: string) =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`);

test('the screens have no fault of accessibility: light on a desktop, dark on a phone', async () => {
  // Every screen in every state, width and theme: `scripts/page-access.mjs`, which `npm run test:long` runs.
  const app = await startApp();
  await seedSample(app.forest);
  const call = program(app);
  const thought = { type: 'thinking' as const, text: 'A patient.' };
  await call(
    { system: 'You are a nurse.', messages: [{ role: 'user', content: 'Hi' }] },
    { blocks: [thought, { type: 'tool-use', name: 'look_up', input: { what: 'arm' } }] },
  );
  const tile = await app.forest.threads.get('sample-tile');
  const page = await app.open('/', { colorScheme: 'light', reducedMotion: 'reduce' });
  await page.getByRole('main').waitFor();
  await load(page);
  const faults: Record<string, string[]> = {};
  const look = async (name: string, rules = {}) => {
    const found = await judge(page, rules);
    if (found.length > 0) faults[name] = found;
  };
  await look('forest');
  await go(page, `/c/${tile.head}`);
  await look('conversation');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-theme=dark]').waitFor();
  for (const path of ['/recordings', '/new']) {
    await go(page, path);
    await look(`dark ${path}`, OF_COLOURS);
    expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(390);
  }
  await page.getByRole('textbox', { name: 'Message' }).fill('/');
  await page.getByRole('listbox', { name: 'Suggestions' }).waitFor();
  await look('dark suggestions', OF_COLOURS);
  await page.keyboard.press('Escape');
  // A sheet that a button of the bar opens is within the bar.
  await page.getByRole('button', { name: /^Theme/ }).click();
  await page.getByRole('menuitem', { name: 'Dark' }).waitFor();
  await look('dark menu');
  expect(faults).toEqual({});
});

test('a screen whose content is not there has a heading, a palette that finds nothing has no list, and the form for the token is the main part', async () => {
  const { open } = await startApp();
  const page = await open('/no/such/place', { reducedMotion: 'reduce', troubles: /404|400/ });
  await page.getByRole('main').waitFor();
  await load(page);
  const faults: Record<string, string[]> = {};
  const look = async (name: string) => {
    const found = await judge(page);
    if (found.length > 0) faults[name] = found;
  };
  for (const path of ['/s/nothing', '/graph/zzzz', '/graph']) {
    await go(page, path);
    await page
      .getByRole('main')
      .getByText(/never existed|There is no|is empty/)
      .first()
      .waitFor();
    await look(path);
  }
  await page.route('**/recordings?*', (route) =>
    route.fulfill({ status: 404, json: { message: 'There is no list.' } }),
  );
  await go(page, '/recordings');
  await page
    .getByRole('main')
    .getByRole('button', { name: 'Try again' })
    .or(page.getByText('never existed'))
    .first()
    .waitFor();
  await look('/recordings');
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search or run a command').fill('nothinglikethis');
  await page.getByText('Nothing matches.').waitFor();
  await look('palette');
  expect(faults).toEqual({});

  const locked = await startApp({ token: 'correct-horse' });
  const form = await locked.open('/', { troubles: /401/ });
  await form.getByRole('main').getByLabel(/token/).waitFor();
});

test('by keys alone: a message is sent, walked to, edited, bookmarked, and found in the palette', async () => {
  const { open, emulator } = await startApp();
  emulator.script('anthropic-messages', [says('First.'), says('Second.')]);
  const page = await open('/');
  await page.getByRole('main').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search or run a command').waitFor();
  await page.keyboard.type('new conversation');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/new$/);
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.waitFor();
  await page.keyboard.press('i');
  await composer.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('By keys?');
  await page.keyboard.press('Control+Enter');
  const answer = page.getByRole('article', { name: 'assistant message' });
  await answer.getByText('First.').waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('b');
  await answer.getByLabel('Bookmarked').waitFor();
  const answered = page.url();
  await page.keyboard.press('h');
  await page.waitForURL((url) => url.href !== answered);
  await page.keyboard.press('e');
  await page.getByRole('textbox', { name: 'Text of the message' }).waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Edited by keys?');
  await page.keyboard.press('Control+Enter');
  await answer.getByText('Second.').waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' });
});

test('on a phone: the forest opens over the page, a message is sent, nothing is wider than the screen', async () => {
  const { open, emulator } = await startApp();
  emulator.script('anthropic-messages', says(`Wide:\n\n\`\`\`\n${'x'.repeat(300)}\n\`\`\`\n`));
  const page = await open('/', { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
  await page.getByRole('button', { name: 'Show the forest' }).click();
  await page
    .getByRole('link', { name: /New conversation/ })
    .or(page.getByRole('button', { name: /New conversation/ }))
    .first()
    .click();
  await page.getByRole('textbox', { name: 'Message' }).fill('From a phone.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('article', { name: 'assistant message' }).getByText('Wide:').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
});

test('letters that are typed right after Ctrl+K land in the palette, not in the message', async () => {
  const { open } = await startApp();
  const page = await open('/new');
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.focus();
  // Whatever the page loads only now comes late.
  await page.route('**/assets/*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('settings');
  await page.getByRole('option', { name: 'Settings' }).first().waitFor();
  expect(await page.getByPlaceholder('Search or run a command').inputValue()).toBe('settings');
  expect(await composer.inputValue()).toBe('');
});
