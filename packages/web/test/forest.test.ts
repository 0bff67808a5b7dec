/** The list, the rail, the graph, sharing, and the shell on every size of screen. */
import { readFile } from 'node:fs/promises';
import { assistant, user } from '@skein/core';
import { says } from '@skein/emulator';
import { seedSample } from '@skein/server';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { inChromium, program, startApp, twoConversations } from './kit.ts';

inChromium();

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test('a button opens the tree on a phone and brings it back on a desktop, and the menu of a message fits a phone', async () => {
  const { open, forest } = await startApp();
  await seedSample(forest);
  const phone = await open('/t/sample-lisbon', PHONE);
  await phone.getByRole('button', { name: 'Show the tree and details' }).click();
  const sheet = phone.getByRole('dialog', { name: 'Tree and details' });
  await sheet.getByRole('tree').waitFor();
  const { y, height } = (await sheet.boundingBox())!;
  expect(Math.round(y + height), 'it stands on the lower edge').toBe(844);
  await sheet.getByRole('tab', { name: 'Raw' }).click();
  await sheet.getByRole('region', { name: 'Stored text' }).waitFor();
  await sheet.getByRole('tab', { name: 'Tree' }).click();
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
  const { head } = await forest.threads.get('sample-debounce');
  const fork = (await forest.path(head)).find(({ childCount }) => childCount > 1)!;
  const compared = (await forest.children(fork.id)).items.map(({ id }) => id).join();
  const screens = [
    '/',
    '/?view=deleted',
    '/new',
    '/t/sample-lisbon',
    '/t/sample-tile',
    `/t/sample-debounce/${fork.id}`,
  ];
  screens.push('/graph', `/compare?nodes=${compared}`, '/recordings', '/usage', '/settings');
  const page = await open('/', PHONE);
  for (const path of screens) {
    await page.goto(new URL(path, page.url()).href);
    await page.getByRole('main').getByRole('heading').first().waitFor({ state: 'attached' });
    await expect.poll(() => page.locator('main .animate-pulse.bg-hover').count(), { message: path }).toBe(0);
    // What stands in a sentence is as high as its line; a box to tick is pressed with what is around it.
    const found = await page.evaluate(() =>
      [...document.querySelectorAll('button, select, input, [role=button], a.inline-flex')].flatMap((one) => {
        const { width, height } = (one.closest('label') ?? one).getBoundingClientRect();
        const { textDecorationLine, verticalAlign } = getComputedStyle(one);
        const isInSentence = textDecorationLine === 'underline' || verticalAlign === 'super';
        const isShown =
          !isInSentence && one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && width > 1;
        const name = one.getAttribute('aria-label') ?? (one as HTMLElement).innerText;
        return isShown && Math.min(width, height) < 40 ? [`${name}: ${Math.round(width)} × ${Math.round(height)}`] : [];
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
  const app = await startApp();
  const { open, forest } = app;
  for (const [at, text] of [
    [1, 'first'],
    [3, 'third'],
    [2, 'second'],
  ] as const) {
    const head = await forest.append('root', [user(`${text} loom`)], { at: Date.UTC(2026, 0, at) });
    await forest.threads.create({ head, title: `About the ${text}` });
  }
  await program(app)({ messages: [{ role: 'user', content: 'A shuttle' }] }, says('It carries the weft.'));
  const { id } = (await forest.threads.list()).items.find(({ title }) => !title.startsWith('About'))!;
  await forest.threads.rename(id, 'Shuttles');
  const page = await open('/?q=loom');
  const hits = page.getByRole('region', { name: 'Search results' }).locator('ol li');
  await expect.poll(() => hits.count()).toBe(3);
  expect(await hits.locator('time').allTextContents()).toEqual(['Jan 3, 2026', 'Jan 2, 2026', 'Jan 1, 2026']);
  await page.goto(page.url().replace('loom', 'weft'));
  await hits.getByText('claude-sonnet-4-5').waitFor();
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

test('conversations are filtered by source, tag and rating together, and the address keeps the filters', async () => {
  const app = await startApp();
  const { open, forest } = app;
  const ids: string[] = [];
  for (const title of ['Alpha', 'Beta', 'Gamma'])
    ids.push((await forest.threads.begin([user(`On ${title}`)], { title })).id);
  await program(app)({ messages: [{ role: 'user', content: 'Name a river.' }] }, says('Tagus.'));
  await forest.threads.tag(ids[0]!, { greek: true });
  await forest.threads.tag(ids[1]!, { greek: true });
  await forest.threads.rate(ids[1]!, 4);
  const page = await open('/');
  const main = page.getByRole('main');
  const titles = () => main.locator('a[data-title]').allTextContents();
  const choose = (name: string, value: string) => main.getByRole('combobox', { name }).selectOption(value);
  await expect.poll(async () => (await titles()).length).toBe(4);
  await choose('Where from', 'recorded');
  await expect.poll(titles).toEqual(['Name a river.']);
  await choose('Where from', 'written');
  await expect.poll(async () => (await titles()).sort()).toEqual(['Alpha', 'Beta', 'Gamma']);
  await choose('With the tag', 'greek');
  await expect.poll(async () => (await titles()).sort()).toEqual(['Alpha', 'Beta']);
  await choose('Rated', '4');
  await expect.poll(titles).toEqual(['Beta']);
  await page.reload();
  await expect.poll(titles).toEqual(['Beta']);
  await main.getByRole('button', { name: 'Clear filters' }).click();
  await expect.poll(async () => (await titles()).length).toBe(4);

  // Several of them go into one file.
  for (const title of ['Alpha', 'Gamma']) await main.getByRole('checkbox', { name: `Select ${title}` }).check();
  const bar = page.getByRole('toolbar', { name: 'Selected conversations' });
  await bar.getByRole('button', { name: 'Export' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export 2 conversations' });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog
      .getByRole('link', { name: 'Download' })
      .or(dialog.getByRole('button', { name: 'Download' }))
      .click(),
  ]);
  const file = await readFile(await download.path(), 'utf8');
  expect(file).toContain('On Alpha');
  expect(file).toContain('On Gamma');
  expect(file).not.toContain('On Beta');
});

test('the rail draws the path on screen strong and straight, and each model in a colour of its own', async () => {
  const app = await startApp();
  const call = program(app);
  const question = { role: 'user', content: 'Name a river.' };
  const { content } = await call({ messages: [question] }, says('Tagus.'));
  await call({ messages: [question], model: 'claude-haiku-4-5' }, says('Douro.'));
  const messages = [question, { role: 'assistant', content }, { role: 'user', content: 'And a lake.' }];
  await call({ messages }, says('Alqueva.'));
  const { items } = await app.forest.threads.list();
  const lake = await Promise.all(items.map(async ({ id, head }) => ({ id, path: await app.forest.path(head) })));
  const page = await app.open(`/t/${lake.find(({ path }) => path.length === 4)!.id}`);
  const rows = page.getByRole('tree').getByRole('treeitem');
  await rows.filter({ hasText: 'Douro.' }).waitFor();
  const dots = await rows.evaluateAll((lines) =>
    lines.map((line) => {
      const dot = line.querySelector('svg circle:last-of-type')!;
      const above = line.querySelector('svg path[d$="0V14"]');
      const { fill, cx } = { fill: getComputedStyle(dot).fill, cx: dot.getAttribute('cx') };
      return {
        words: (line as HTMLElement).innerText.replace(/\s+/g, ' '),
        fill,
        cx,
        width: above && Number.parseFloat(getComputedStyle(above).strokeWidth),
      };
    }),
  );
  const at = (words: string) => dots.find((dot) => dot.words.includes(words))!;
  expect(at('Tagus.').width).toBeGreaterThan(2);
  expect(at('Douro.').width).toBeLessThan(2);
  expect(at('Tagus.').fill).not.toBe(at('Douro.').fill);
  expect(at('Tagus.').fill).toBe(at('Alqueva.').fill);
  expect(new Set(['Tagus.', 'Alqueva.', 'And a lake.'].map((words) => at(words).cx)).size).toBe(1);
  expect(at('Douro.').cx).not.toBe(at('Tagus.').cx);
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
  // As the browser reads it.
  const session = await page.context().newCDPSession(page);
  const { url: read, errors } = await session.send('Page.getAppManifest');
  expect(read).toBe(url + href);
  expect(errors).toEqual([]);
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
