/** Everyone can use it: by keys alone, on a phone, with a screen reader, in both themes. */
import { says } from '@skein/emulator';
import { seedSample } from '@skein/server';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inChromium, program, startApp } from './kit.ts';

inChromium();

/** Of all rules of axe, those that see colours. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** What axe finds serious, one line each: by every rule in the light theme, and by those that see colours in the dark one. */
async function serious(page: Page): Promise<string[]> {
  const inLight = await judge(page, {});
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-theme=dark]').waitFor();
  const inDark = await judge(page, { runOnly: OF_COLOURS });
  await page.emulateMedia({ colorScheme: 'light' });
  return [...inLight, ...inDark.map((fault) => `dark: ${fault}`)];
}

/**
 * axe reads the page in several steps, so it judges a page that holds still: an element that React replaces between two
 * steps has no text when axe asks for its name.
 */
async function judge(page: Page, rules: Pick<axe.RunOptions, 'runOnly'>): Promise<string[]> {
  // The page's own rules forbid added scripts, so it is run as text of the test.
  const found = await page.evaluate(`(async () => {
    if (window.axe === undefined) { ${axe.source}; }
    let changes = 0;
    const observer = new MutationObserver(() => { changes += 1; });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    for (;;) {
      for (let before = -1; before !== changes; ) {
        before = changes;
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
      const before = changes;
      const result = await axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...rules })});
      await new Promise((resolve) => setTimeout(resolve));
      if (changes === before) return result;
    }
  })()`);
  const { violations } = found as axe.AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`));
}

test('no screen has a serious fault of accessibility', async () => {
  const { open, forest } = await startApp();
  await seedSample(forest);
  const { head } = await forest.threads.get('sample-lisbon');
  const tile = await forest.threads.get('sample-tile');
  const page = await open('/', { colorScheme: 'light', isNew: true, reducedMotion: 'reduce' });
  const faults: Record<string, string[]> = {};
  const screens = ['/', `/c/${head}`, `/c/${tile.head}`, '/new', '/graph', `/compare?nodes=${head},${tile.head}`];
  for (const path of [...screens, '/recordings', '/settings']) {
    await page.goto(new URL(path, page.url()).href);
    await page.getByRole('main').waitFor();
    await page.locator('main .animate-pulse').first().waitFor({ state: 'hidden' });
    const found = await serious(page);
    if (found.length > 0) faults[path] = found;
  }
  expect(faults).toEqual({});
});

test('rows that unfold and recorded conversations have no serious fault of accessibility', async () => {
  const app = await startApp();
  const call = program(app);
  const ask = { role: 'user', content: 'Hi' };
  const thought = { type: 'thinking' as const, text: 'A patient.' };
  const first = await call(
    { system: 'You are a nurse.', messages: [ask] },
    { blocks: [thought, { type: 'text', text: 'Where does it hurt?' }] },
  );
  const tools = [{ name: 'look_up', description: 'Looks up', input_schema: { type: 'object', properties: {} } }];
  const history = [ask, { role: 'assistant', content: first }, { role: 'user', content: 'My arm' }];
  await call(
    { system: 'You are a doctor.', tools, messages: history },
    { blocks: [{ type: 'tool-use', name: 'look_up', input: { what: 'arm' } }] },
  );
  const [thread] = (await app.forest.threads.list()).items;
  for (const width of [1400, 390]) {
    const page = await app.open(`/t/${thread!.id}`, {
      colorScheme: 'light',
      reducedMotion: 'reduce',
      viewport: { width, height: 844 },
    });
    await page.getByRole('article', { name: 'Change of context' }).getByRole('button').click();
    expect(await serious(page)).toEqual([]);
    await page.getByRole('button', { name: 'Go on from here' }).click();
    await page.getByRole('textbox', { name: 'Result of look_up' }).waitFor();
    expect(await serious(page)).toEqual([]);
    const { scrollWidth } = await page.evaluate(() => ({ scrollWidth: document.documentElement.scrollWidth }));
    expect(scrollWidth).toBeLessThanOrEqual(width);
    await page.goto(`${app.url}/`);
    await page
      .getByRole('main')
      .getByRole('button', { name: /begin like this/ })
      .click();
    await page.getByRole('main').getByRole('link', { name: 'Hi', exact: true }).first().waitFor();
    expect(await serious(page)).toEqual([]);
  }
});

test('what opens over the composer and the messages has no serious fault of accessibility', async () => {
  const { open, emulator, url } = await startApp();
  emulator.script('anthropic-messages', says('Euler: $e^{i\\pi}$.\n\n```mermaid\nflowchart LR\n  A --> B\n```\n'));
  const page = await open('/new', {
    colorScheme: 'light',
    reducedMotion: 'reduce',
    viewport: { width: 1024, height: 800 },
  });
  const composer = page.getByRole('textbox', { name: 'Message' });
  const faults: Record<string, string[]> = {};
  const look = async (state: string) => {
    for (const width of [1024, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const found = await serious(page);
      if (found.length > 0) faults[`${state} ${width}`] = found;
    }
  };
  await composer.fill('/');
  await page.getByRole('listbox', { name: 'Suggestions' }).waitFor();
  await look('suggestions');
  await composer.fill('Draw.');
  await page.getByRole('button', { name: /^Ways to send/ }).click();
  await page.getByRole('dialog', { name: 'Ways to send' }).waitFor();
  await look('ways to send');
  await page.keyboard.press('Escape');
  await composer.press('Enter');
  await page.getByRole('img', { name: 'Diagram' }).waitFor();
  await page.goto(`${url}${new URL(page.url()).pathname}`);
  await page.getByRole('img', { name: 'Diagram' }).waitFor();
  await page.keyboard.press('f');
  await page.getByRole('textbox', { name: 'Find in this conversation' }).fill('Euler');
  await page.getByRole('status').getByText('1/1').waitFor();
  await look('found');
  expect(faults).toEqual({});
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
  for (const path of ['', '/', '/graph', '/compare', '/recordings', '/settings']) {
    if (path !== '') await page.goto(new URL(path, page.url()).href);
    await page.getByRole('main').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(390);
  }
});
