/** The list, the rail, the graph, sharing, and the shell on every size of screen. */
import { assistant, user } from '@skein/core';
import { seedSample } from '@skein/server';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { inChromium, startApp, twoConversations } from './kit.ts';

inChromium();

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test('a button opens the tree on a phone and brings it back on a desktop, and the menu of a message fits a phone', async () => {
  const { open, forest } = await startApp();
  await seedSample(forest);
  const phone = await open('/t/sample-lisbon', PHONE);
  await phone.getByRole('button', { name: 'Show the tree and details' }).click();
  const sheet = phone.getByRole('dialog', { name: 'Tree and details' });
  await sheet.getByRole('tree').waitFor();
  await sheet.getByRole('button', { name: 'Close' }).click();
  await sheet.waitFor({ state: 'hidden' });
  await phone.getByRole('button', { name: 'More to do with this message' }).last().click();
  const menu = phone.getByRole('dialog', { name: 'Actions' });
  await menu.getByRole('menuitem', { name: 'Answer again', exact: true }).waitFor();
  expect((await menu.boundingBox())!.height).toBeLessThanOrEqual(844);
  expect(await menu.locator('kbd').count()).toBe(0);

  const desktop = await open('/t/sample-lisbon', { viewport: { width: 1024, height: 800 } });
  await desktop.getByRole('button', { name: 'Hide the tree and details' }).click();
  await desktop.getByRole('tree').waitFor({ state: 'hidden' });
  await desktop.getByRole('button', { name: 'Show the tree and details' }).click();
  await desktop.getByRole('tree').waitFor();
});

test('what is pressed on a phone is large enough for a finger', async () => {
  const { open, forest } = await startApp();
  await seedSample(forest);
  const small: string[] = [];
  for (const path of ['/', '/new', '/t/sample-lisbon']) {
    const page = await open(path, PHONE);
    await page
      .getByRole('main')
      .getByRole(path === '/' ? 'link' : 'button')
      .first()
      .waitFor();
    // What stands in a sentence is as high as its line; a box to tick is pressed with what is around it.
    const found = await page.evaluate(() =>
      [...document.querySelectorAll('button, select, input:not([type=checkbox]), [role=button]')].flatMap((one) => {
        const { width, height } = one.getBoundingClientRect();
        const isInSentence = getComputedStyle(one).textDecorationLine === 'underline';
        const isShown =
          !isInSentence && one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && width > 1;
        const name = one.getAttribute('aria-label') ?? (one as HTMLElement).innerText;
        return isShown && Math.min(width, height) < 36 ? [`${name}: ${Math.round(width)} × ${Math.round(height)}`] : [];
      }),
    );
    small.push(...found.map((what) => `${path} ${what}`));
  }
  expect(small).toEqual([]);
});

test('the status bar of a window of 1024 pixels cuts nothing, with the tree and without it', async () => {
  const { open, forest } = await startApp();
  await seedSample(forest);
  const page = await open('/t/sample-lisbon', { viewport: { width: 1024, height: 800 } });
  const bar = page.locator('footer', { has: page.getByRole('list', { name: 'Keys' }) });
  await bar.getByText(/tokens/).waitFor();
  // A key that has no room stands in a second line, outside of the bar, and is not seen at all.
  const judge = () =>
    bar.evaluate((element) => {
      const bounds = element.getBoundingClientRect();
      const list = element.querySelector('ul')!.getBoundingClientRect();
      const boxes = (what: string) => [...element.querySelectorAll(what)].map((one) => one.getBoundingClientRect());
      const keys = boxes('li').filter(({ top }) => top < list.bottom);
      const facts = boxes(':scope > :not(ul)');
      return {
        keys: keys.length,
        cut: [
          ...keys.filter(({ right, bottom }) => right > list.right + 1 || bottom > list.bottom + 1),
          ...facts.filter(({ right, left }) => right > bounds.right || left < list.right - 1),
        ].length,
      };
    });
  expect((await judge()).cut).toBe(0);
  await page.getByRole('button', { name: 'Hide the tree and details' }).click();
  await page.getByRole('tree').waitFor({ state: 'hidden' });
  const wide = await judge();
  expect(wide.cut).toBe(0);
  expect(wide.keys).toBeGreaterThan(0);
});

test('search hits show their conversation, model and date, and equally good ones come newest first', async () => {
  const { open, forest } = await startApp();
  for (const [at, text] of [
    [1, 'first'],
    [3, 'third'],
    [2, 'second'],
  ] as const) {
    const head = await forest.append('root', [user(`${text} loom`)], { at: Date.UTC(2026, 0, at) });
    await forest.threads.create({ head, title: `About the ${text}` });
  }
  const { id } = await forest.threads.begin([user('A shuttle'), assistant('It carries the weft.')], {
    title: 'Shuttles',
  });
  const page = await open('/?q=loom');
  const hits = page.getByRole('region', { name: 'Search results' }).locator('ol li');
  await expect.poll(() => hits.count()).toBe(3);
  expect(await hits.locator('time').allTextContents()).toEqual(['Jan 3, 2026', 'Jan 2, 2026', 'Jan 1, 2026']);
  await page.goto(page.url().replace('loom', 'weft'));
  await hits.getByText('Shuttles').click();
  await page.waitForURL(new RegExp(`/t/${id}/`));
});

test('previews in lists show the words of Markdown and none of its marks', async () => {
  const { open, forest } = await startApp();
  const question = '# Looms\n\nCompare **two** of them.';
  const answer =
    '## In short\n\n| Loom | **Width** |\n|:---|---:|\n| Rigid | 40 |\n\n- **Rigid** is a `loom` to begin with.';
  const { id, head } = await forest.threads.begin([user(question), assistant(answer)], { title: 'Weaving' });
  const [asked] = await forest.path(head);
  await forest.append(asked!.id, [assistant(answer.replace('Rigid', 'Inkle'))]);
  const page = await open('/');
  const expectPlain = async (what: string, list: Locator, words: RegExp) => {
    await list.getByText(words).first().waitFor();
    expect(await list.innerText(), what).not.toMatch(/\*\*|`|(?:^|\s)#+\s|:?-{3,}:?|\|/m);
  };
  await expectPlain('the conversations', page.getByRole('main'), /Compare two of them/);
  await page.goto(new URL('/?q=Rigid', page.url()).href);
  await expectPlain('the search results', page.getByRole('region', { name: 'Search results' }), /Rigid/);
  await page.goto(new URL(`/t/${id}`, page.url()).href);
  await expectPlain('the tree', page.getByRole('tree'), /In short/);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Rigid');
  await expectPlain('the palette', page.getByRole('dialog').getByRole('listbox'), /Rigid/);
});

test('conversations are pinned, archived, filtered, renamed by double click and shared as a page, by mouse and by key', async () => {
  const { open, forest } = await startApp();
  for (const title of ['Alpha', 'Beta', 'Gamma']) await forest.threads.begin([user(`On ${title}`)], { title });
  const page = await open('/');
  const main = page.getByRole('main');
  const titles = () => main.locator('a[data-title]').allTextContents();
  await expect.poll(titles).toEqual(['Gamma', 'Beta', 'Alpha']);
  await main.getByText('3 conversations').waitFor();

  await main.getByRole('combobox', { name: 'Sort' }).selectOption('title');
  await expect.poll(titles).toEqual(['Alpha', 'Beta', 'Gamma']);
  await main.getByRole('combobox', { name: 'Sort' }).selectOption('');
  await expect.poll(titles).toEqual(['Gamma', 'Beta', 'Alpha']);

  await main.getByRole('button', { name: 'More about Alpha' }).click();
  await page.getByRole('menuitem', { name: 'Pin', exact: true }).click();
  await expect.poll(async () => (await titles())[0]).toBe('Alpha');
  await page.getByRole('navigation', { name: 'Forest' }).getByRole('heading', { name: 'Pinned' }).waitFor();

  await main.getByRole('link', { name: 'Beta', exact: true }).focus();
  await page.keyboard.press('x');
  await page.getByRole('toolbar', { name: 'Selected conversations' }).getByRole('button', { name: 'Archive' }).click();
  await expect.poll(async () => (await titles()).includes('Beta')).toBe(false);
  await main.getByRole('button', { name: 'Archived' }).click();
  await expect.poll(titles).toEqual(['Beta']);
  await main.getByRole('button', { name: 'Conversations' }).click();

  await main.getByRole('textbox', { name: 'Filter by title' }).fill('gam');
  await expect.poll(titles).toEqual(['Gamma']);
  await main.getByRole('link', { name: 'Gamma', exact: true }).focus();
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Gamma rays');
  await page.keyboard.press('Enter');
  await main.getByRole('link', { name: 'Gamma rays' }).click();
  await page.getByRole('article', { name: 'user message' }).waitFor();

  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('S');
  const dialog = page.getByRole('dialog', { name: /Share or export/ });
  const address = await dialog.getByRole('link', { name: 'Open it in a new tab' }).getAttribute('href');
  const answer = await page.request.get(new URL(address!, page.url()).href);
  expect(answer.headers()['content-security-policy']).toMatch(/^sandbox .*default-src 'none'/);
  expect(await answer.text()).toContain('<h1>Gamma rays</h1>');
});

test('the branches of a fork are cards by key, with what changed, and the rail names the conversations that end in the tree', async () => {
  const app = await startApp();
  const { thread } = await twoConversations(app);
  const page = await app.open(`/t/${thread}`);
  const tree = page.getByRole('tree');
  await tree.getByText('Linen', { exact: true }).waitFor();
  expect(await tree.getByRole('treeitem').allInnerTexts()).toMatchObject(
    [/yarn/, /wool/i, /linen/i].map((words) => expect.stringMatching(words)),
  );
  await page.getByRole('article', { name: 'assistant message' }).waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('s');
  const cards = page.getByRole('dialog', { name: 'Branches' });
  await cards.getByRole('button', { name: 'What changed' }).click();
  await cards.locator('ins').getByText('linen').waitFor();
  await cards.locator('[data-card]').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: 'assistant message' }).getByText('Take linen.').waitFor();
  await page.getByRole('button', { name: /2 branches/ }).hover();
  await cards.getByText('Take wool.').waitFor();
});

test('the page can be installed: its manifest and icons are there', async () => {
  const { open, url } = await startApp();
  const page = await open('/');
  const href = await page.locator('link[rel="manifest"]').getAttribute('href');
  const manifest = (await (await page.request.get(url + href)).json()) as { icons: { src: string }[]; display: string };
  expect(manifest.display).toBe('standalone');
  for (const { src } of manifest.icons) expect((await page.request.get(url + src)).ok(), src).toBe(true);
});

test('rows that come into view are drawn in the frame that scrolls', async () => {
  const { open, forest } = await startApp();
  for (let at = 0; at < 60; at++) {
    const head = await forest.append('root', [user(`Question ${at}?`)]);
    await forest.threads.create({ head, title: `Conversation ${at}` });
  }
  const page = await open('/');
  await page.getByRole('link', { name: 'Conversation 59' }).last().waitFor();
  // Frame callbacks come right after the scroll events of their frame, before any other task.
  const isDrawn = await page.evaluate(
    () =>
      new Promise((resolve) => {
        document.querySelector('main [data-scroller]')!.scrollTop += 600;
        requestAnimationFrame(() => {
          const rows = [...document.querySelectorAll('[data-thread]')].map((row) => row.getBoundingClientRect());
          resolve(rows.some(({ top, bottom }) => top <= innerHeight - 50 && bottom >= innerHeight - 50));
        });
      }),
  );
  expect(isDrawn).toBe(true);
});
