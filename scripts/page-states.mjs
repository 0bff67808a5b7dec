// Every screen of the page in every state: what `npm run pictures -- --all` takes, and what `scripts/page-access.mjs` checks.
import { chromium } from 'playwright-core';
import { findChromium, howToInstall } from './chromium.mjs';
import { openPageWorld } from './page-world.mjs';

/** @import { Browser, Page } from 'playwright-core' */
/** @import { PageWorld } from './page-world.mjs' */

/**
 * A screen in one state: its address, and what is done there.
 * @typedef {{ name: string, path: string, act?: (page: Page) => Promise<unknown> }} State
 */

export const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];

/**
 * Opens each state in each size, and lets `look` look at it. A state that cannot be reached is reported as a problem.
 * @param {string} only a part of the names of the states
 * @param {(page: Page, name: string) => Promise<readonly string[] | void>} look what it returns is a problem
 * @returns {Promise<string[]>} the problems
 */
export async function visitStates(only, look) {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(howToInstall);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  /** @type {string[]} */
  const problems = [];
  try {
    for (const viewport of SIZES) problems.push(...(await visitIn(browser, viewport, only, look)));
    return problems;
  } finally {
    await browser.close();
  }
}

/**
 * @param {Browser} browser
 * @param {(typeof SIZES)[number]} viewport
 * @param {string} only
 * @param {Parameters<typeof visitStates>[1]} look
 */
async function visitIn(browser, viewport, only, look) {
  const problems = [];
  const world = await openPageWorld();
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', hasTouch: viewport.width < 640 });
  try {
    await context.addInitScript(
      `localStorage.getItem('skein.view') ?? localStorage.setItem('skein.view', '{"state":{"welcomed":true},"version":1}')`,
    );
    for (const { name, path, act } of (await listStates(world)).filter((state) => state.name.includes(only))) {
      const full = `${name}-${viewport.width}`;
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      try {
        await page.goto(path);
        await page.getByRole('main').waitFor();
        await settle(page);
        await act?.(page);
        await settle(page);
        problems.push(...((await look(page, full)) ?? []));
        // What a state changed in the view is not part of the next one.
        await page.evaluate('localStorage.clear()');
      } catch (error) {
        problems.push(`${full}: ${error instanceof Error ? error.message.split('\n').slice(0, 3).join(' ') : error}`);
      }
      await page.close();
    }
    return problems;
  } finally {
    await context.close();
    await world.close();
  }
}

/**
 * Waits until nothing changes any more.
 * @param {Page} page
 */
export async function settle(page) {
  await page.evaluate(`(async () => {
    let changes = 0;
    const observer = new MutationObserver(() => { changes += 1; });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    for (let before = -1; before !== changes || document.querySelector('main .animate-pulse.bg-sunken'); ) {
      before = changes;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    observer.disconnect();
  })()`);
}

/** @param {...string} keys */
const press =
  (...keys) =>
  async (/** @type {Page} */ page) => {
    for (const key of keys) await page.keyboard.press(key);
  };

/** @param {string | RegExp} name @param {'button' | 'tab' | 'link'} [role] */
const click =
  (name, role = 'button') =>
  (/** @type {Page} */ page) =>
    page.getByRole(role, { name }).first().click();

/** @param {string} text */
const write = (text) => (/** @type {Page} */ page) => page.getByRole('textbox', { name: 'Message' }).fill(text);

/** @param {string} query @returns {(page: Page) => Promise<unknown>} */
const command = (query) => async (page) => {
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search or run a command').fill(query);
  // A filter behind the palette may have an option of the same name.
  await page.getByRole('dialog').getByRole('option', { name: query }).first().click();
};

/** @param {...((page: Page) => Promise<unknown>)} acts @returns {(page: Page) => Promise<void>} */
const inOrder =
  (...acts) =>
  async (page) => {
    for (const act of acts) {
      await act(page);
      await settle(page);
    }
  };

/** @param {string} name of a tab of the inspector */
const openTab = (name) =>
  inOrder(press('t'), async (page) => {
    if ((await page.getByRole('tab', { name }).count()) === 0) await page.keyboard.press('t');
    await page.getByRole('tab', { name }).click();
  });

/** @param {Page} page */
const showTurns = (page) =>
  page.getByRole('region', { name: 'The cache along the turns' }).getByRole('listitem').last().scrollIntoViewIfNeeded();

/** @param {Page} page */
async function askAgain(page) {
  for (const title of [/Begin a scarf/, /Lisbon/]) await page.getByRole('checkbox', { name: title }).first().check();
  await page.getByRole('button', { name: 'Models', exact: true }).click();
  for (const model of ['anthropic/claude-sonnet-4-5', 'openai/gpt-5']) {
    await page.getByRole('searchbox', { name: 'Find a model' }).fill(model);
    await page.getByRole('checkbox', { name: model, exact: true }).check();
  }
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('4 of 4 answers').waitFor();
  await page.getByRole('region', { name: 'Answers' }).scrollIntoViewIfNeeded();
}

/**
 * @param {PageWorld} world
 * @returns {Promise<State[]>}
 */
async function listStates({ forest, url, bare, threads }) {
  const { head } = await forest.threads.get('sample-debounce');
  const fork = (await forest.path(head)).find(({ childCount }) => childCount > 1);
  const nodes = (await forest.children(fork?.id ?? 'root')).items.map(({ id }) => id).join();
  const compare = `${url}/compare?nodes=${nodes}`;
  const lisbon = `${url}/t/sample-lisbon`;
  const coding = (await forest.threads.list({ agent: 'claude-code' })).items[0]?.id ?? '';
  const scarf = (await forest.threads.list({ where: ({ title }) => title.startsWith('Begin a scarf') })).items[0]?.id;
  const firstCall = click(/weather in Porto/, 'link');
  return [
    // The answer is given up when nothing comes for a while.
    { name: 'conversation-growing', path: `${url}/t/${threads.growing}` },
    {
      name: 'welcome',
      path: `${bare}/`,
      act: async (page) => {
        await page.evaluate(`localStorage.setItem('skein.view', '{"state":{"welcomed":false},"version":1}')`);
        await page.reload();
      },
    },
    { name: 'forest-empty', path: `${bare}/` },
    { name: 'forest', path: `${url}/` },
    { name: 'forest-unfolded', path: `${url}/`, act: click(/2 that begin like this/) },
    {
      name: 'forest-selected',
      path: `${url}/`,
      act: (page) => page.getByRole('main').getByRole('checkbox').first().click(),
    },
    { name: 'forest-menu', path: `${url}/`, act: click(/^More about/) },
    { name: 'forest-archived', path: `${url}/?view=archived` },
    { name: 'forest-bookmarks', path: `${url}/?view=bookmarks` },
    { name: 'forest-deleted', path: `${url}/?view=deleted` },
    { name: 'forest-none-fits', path: `${url}/?title=nothing-like-this` },
    { name: 'forest-search', path: `${url}/?q=Lisbon` },
    { name: 'forest-search-none', path: `${url}/?q=nothinglikethis` },
    { name: 'forest-export', path: `${url}/`, act: click('Export') },
    { name: 'drawer', path: `${url}/settings`, act: press('\\') },
    { name: 'new', path: `${url}/new` },
    { name: 'new-empty', path: `${bare}/new` },
    { name: 'new-suggestions', path: `${url}/new`, act: write('/') },
    { name: 'new-at', path: `${url}/new`, act: write('@') },
    { name: 'new-models', path: `${url}/new`, act: click(/^Model:/) },
    { name: 'new-settings', path: `${url}/new`, act: click(/^Parameters/) },
    { name: 'new-ways', path: `${url}/new`, act: inOrder(write('Draw.'), click(/^Ways to send/)) },
    { name: 'new-prompts', path: `${url}/new`, act: command('Prompts') },
    { name: 'new-prompt', path: `${url}/new`, act: inOrder(command('Prompts'), click('New prompt')) },
    { name: 'conversation', path: lisbon },
    { name: 'conversation-top', path: lisbon, act: press('Home') },
    { name: 'conversation-media', path: `${url}/t/sample-tile` },
    { name: 'conversation-rich', path: `${url}/t/${threads.rich}` },
    { name: 'conversation-refused', path: `${url}/t/${threads.refused}` },
    { name: 'conversation-failed', path: `${url}/t/${threads.failed}` },
    { name: 'conversation-waiting', path: `${url}/t/${threads.waiting}` },
    { name: 'conversation-missing', path: `${url}/t/nothing` },
    { name: 'conversation-find', path: lisbon, act: inOrder(press('f'), (page) => page.keyboard.type('read')) },
    { name: 'conversation-branches', path: lisbon, act: press('[', 's') },
    { name: 'conversation-menu', path: lisbon, act: click('More to do with this message') },
    { name: 'conversation-edit', path: lisbon, act: press('h', 'e') },
    { name: 'conversation-delete', path: lisbon, act: press('x') },
    { name: 'conversation-tags', path: lisbon, act: command('Tags') },
    { name: 'conversation-note', path: lisbon, act: command('Note') },
    { name: 'conversation-share', path: lisbon, act: press('Shift+S') },
    ...['Raw', 'Diff', 'Usage', 'Request'].map((tab) => ({
      name: `inspector-${tab.toLowerCase()}`,
      path: lisbon,
      act: openTab(tab),
    })),
    { name: 'inspector-cache', path: `${url}/t/${scarf}`, act: inOrder(openTab('Usage'), showTurns) },
    {
      name: 'inspector-tree',
      path: lisbon,
      act: async (page) => {
        if ((await page.getByRole('tab', { name: 'Tree' }).count()) === 0) await page.keyboard.press('t');
      },
    },
    { name: 'session', path: `${url}/s/${coding}` },
    { name: 'graph', path: `${url}/graph` },
    {
      name: 'graph-selected',
      path: `${url}/graph`,
      act: inOrder(
        (page) => page.getByRole('application').focus(),
        press('PageDown', 'ArrowRight', 'ArrowRight', 'ArrowRight'),
      ),
    },
    { name: 'compare', path: compare },
    { name: 'compare-source', path: compare, act: click('Source') },
    { name: 'compare-models', path: compare, act: click(/^Models$/) },
    { name: 'compare-empty', path: `${url}/compare` },
    { name: 'compare-again', path: `${url}/compare?again` },
    { name: 'compare-again-answers', path: `${url}/compare?again`, act: askAgain },
    { name: 'recordings', path: `${url}/recordings` },
    { name: 'recordings-empty', path: `${bare}/recordings` },
    { name: 'recordings-none-fits', path: `${url}/recordings?text=nothing-like-this` },
    { name: 'recording', path: `${url}/recordings`, act: firstCall },
    {
      name: 'recording-pretty',
      path: `${url}/recordings`,
      act: inOrder(firstCall, click('Response', 'tab'), click('Pretty')),
    },
    {
      name: 'recordings-session',
      path: `${url}/recordings`,
      act: (page) =>
        page
          .getByRole('link', { name: /^Show session/ })
          .last()
          .click(),
    },
    { name: 'recordings-connect', path: `${url}/recordings`, act: click('Connect a client') },
    { name: 'cassettes', path: `${url}/recordings/cassettes` },
    {
      name: 'cassettes-compared',
      path: `${url}/recordings/cassettes`,
      act: inOrder(click('Compare'), (page) => page.getByText(/requests compared/).waitFor()),
    },
    { name: 'cassettes-empty', path: `${bare}/recordings/cassettes` },
    { name: 'usage', path: `${url}/usage` },
    {
      name: 'usage-what-if',
      path: `${url}/usage`,
      act: inOrder(click('Simulate'), (page) =>
        page.getByRole('region', { name: 'What it would have cost' }).scrollIntoViewIfNeeded(),
      ),
    },
    { name: 'usage-app', path: `${url}/usage?by=app&days=7`, act: (page) => page.getByText('Show as a table').click() },
    { name: 'usage-empty', path: `${bare}/usage` },
    { name: 'settings', path: `${url}/settings` },
    {
      name: 'settings-keys',
      path: `${url}/settings#keys`,
      act: (page) => page.getByRole('region', { name: 'Keys', exact: true }).scrollIntoViewIfNeeded(),
    },
    { name: 'palette', path: `${url}/`, act: press('Control+k') },
    { name: 'palette-found', path: `${url}/`, act: inOrder(press('Control+k'), (page) => page.keyboard.type('lis')) },
    { name: 'palette-models', path: `${url}/`, act: press('Control+m') },
    { name: 'help', path: `${url}/`, act: press('?') },
    { name: 'nowhere', path: `${url}/no/such/place` },
  ];
}
