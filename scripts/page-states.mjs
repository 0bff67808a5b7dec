// Every screen of the page in every state: what `npm run pictures -- --all` takes, and what `scripts/page-access.mjs` checks.
import { chromium } from 'playwright-core';
import { findChromium, howToInstall } from './chromium.mjs';
import { click, command, holdServer, inOrder, openTab, press, settle, write } from './page-acts.mjs';
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

const HERE = ['127.0.0.1', 'localhost'];

/**
 * Opens each state in each size, and lets `look` look at it. A state that cannot be reached is reported as a problem.
 * @param {string} only a part of the names of the states, such as `graph` or `-390`, or several with commas between them
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
  const parts = only.split(',');
  const isChosen = (/** @type {State} */ { name }) => parts.some((part) => `${name}-${viewport.width}`.includes(part));
  const world = await openPageWorld();
  const states = (await listStates(world)).filter(isChosen);
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', hasTouch: viewport.width < 640 });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  try {
    await context.addInitScript(
      `localStorage.getItem('skein.view') ?? localStorage.setItem('skein.view', '{"state":{"welcomed":true},"version":1}')`,
    );
    for (const { name, path, act } of states) {
      const full = `${name}-${viewport.width}`;
      const page = await context.newPage();
      page.on('request', (request) => {
        const { hostname, protocol } = new URL(request.url());
        if (!['data:', 'blob:'].includes(protocol) && !HERE.includes(hostname))
          problems.push(`${full}: it asks another host: ${request.url()}`);
      });
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

/** @param {Page} page */
const showTurns = (page) =>
  page.getByRole('region', { name: 'The cache along the turns' }).getByRole('listitem').last().scrollIntoViewIfNeeded();

/** A picture of one pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A conversation, and a line that is none. */
const IMPORTED = `${JSON.stringify({
  messages: [
    { role: 'user', content: 'Is this kept?' },
    { role: 'assistant', content: 'It is.' },
  ],
})}
{ "messages": `;

/** Files come over the screen, and are not dropped yet. @param {Page} page */
async function dragFiles(page) {
  await page.getByRole('main').getByRole('heading').first().waitFor();
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['{}'], 'kept.json'));
    document.querySelector('main h1').dispatchEvent(new DragEvent('dragenter', { bubbles: true, dataTransfer }));
  })()`);
}

/** @param {string} model */
const chooseModel = (model) => async (/** @type {Page} */ page) => {
  await page.keyboard.press('Control+m');
  await page.getByPlaceholder('Choose a model').fill(model);
  await page.getByRole('dialog').getByRole('option', { name: model }).first().click();
};

/** Only a phone has them behind a button. @param {Page} page */
async function openFilters(page) {
  const button = page.getByRole('button', { name: /^Filters/ });
  if (await button.isVisible()) await button.click();
}

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
async function listStates({ forest, url, bare, locked, threads }) {
  const { head } = await forest.threads.get('sample-debounce');
  const fork = (await forest.path(head)).find(({ childCount }) => childCount > 1);
  const nodes = (await forest.children(fork?.id ?? 'root')).items.map(({ id }) => id).join();
  const compare = `${url}/compare?nodes=${nodes}`;
  const lisbon = `${url}/t/sample-lisbon`;
  const coding = (await forest.threads.list({ agent: 'claude-code' })).items[0]?.id ?? '';
  const scarf = (await forest.threads.list({ where: ({ title }) => title.startsWith('Begin a scarf') })).items[0]?.id;
  const recorded = (await forest.threads.list({ where: ({ title }) => title.startsWith('What is the weather') }))
    .items[0];
  const firstCall = click(/weather in Porto/, 'link');
  const loseServer = async (/** @type {Page} */ page) => {
    await page.route('**/api/**', (route) => route.abort());
    await page.reload();
    await page
      .getByText(/The server cannot be reached/)
      .first()
      .waitFor();
  };
  /** @param {string} item of the menu of a message */
  const choose = (item) =>
    inOrder(click('More to do with this message'), (page) => page.getByRole('menuitem', { name: item }).click());
  /** @param {string} text @param {string} name */
  const importFile = (text, name) => (/** @type {Page} */ page) =>
    page.getByLabel('Files to import').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  return [
    // The answer is given up when nothing comes for a while.
    { name: 'conversation-growing', path: `${url}/t/${threads.growing}` },
    {
      name: 'conversation-queued',
      path: `${url}/t/${threads.growing}`,
      act: inOrder(write('And then?'), click('Queue')),
    },
    { name: 'conversation-stopped', path: `${url}/t/${threads.growing}`, act: click(/^Stop/) },
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
    { name: 'forest-loading', path: `${url}/`, act: holdServer },
    {
      name: 'forest-dropping',
      path: `${url}/`,
      act: dragFiles,
    },
    { name: 'forest-filters', path: `${url}/?tag=evening&rating=4` },
    { name: 'forest-archived', path: `${url}/?view=archived` },
    { name: 'forest-archived-empty', path: `${bare}/?view=archived` },
    { name: 'forest-bookmarks-empty', path: `${bare}/?view=bookmarks` },
    { name: 'forest-deleted-empty', path: `${bare}/?view=deleted` },
    { name: 'samples', path: `${bare}/samples` },
    { name: 'samples-conversation', path: `${bare}/samples/t/sample-tile` },
    { name: 'demo', path: `${bare}/`, act: click('Demo') },
    { name: 'health-good', path: `${bare}/`, act: click(/recording work/) },
    { name: 'theme', path: `${url}/`, act: click(/^Theme/) },
    {
      name: 'screen-broken',
      path: `${url}/`,
      act: async (page) => {
        await page.route(/graph-screen/, (route) => route.abort());
        await page.goto(`${url}/graph`);
        await page.getByText(/could not be shown/).waitFor();
      },
    },
    { name: 'forest-bookmarks', path: `${url}/?view=bookmarks` },
    { name: 'forest-deleted', path: `${url}/?view=deleted` },
    { name: 'forest-none-fits', path: `${url}/?title=nothing-like-this` },
    { name: 'forest-search', path: `${url}/?q=Lisbon` },
    { name: 'forest-search-none', path: `${url}/?q=nothinglikethis` },
    { name: 'forest-export', path: `${url}/`, act: click('Export') },
    {
      name: 'forest-tagging',
      path: `${url}/`,
      act: inOrder((page) => page.getByRole('main').getByRole('checkbox').first().click(), click('Tag')),
    },
    {
      name: 'forest-details',
      path: `${url}/`,
      act: inOrder(click(/^More about/), (page) => page.getByRole('menuitem', { name: /^Tags, rating/ }).click()),
    },
    {
      name: 'forest-renaming',
      path: `${url}/`,
      act: inOrder((page) => page.getByRole('main').locator('a[data-title]').first().focus(), press('F2')),
    },
    {
      name: 'forest-search-filters',
      path: `${url}/?q=Lisbon`,
      act: async (page) =>
        page
          .getByRole('button', { name: /^(More filters|Filters)/ })
          .first()
          .click(),
    },
    {
      name: 'forest-import-refused',
      path: `${bare}/`,
      act: inOrder(importFile('bread, milk', 'shopping.txt'), (page) => page.getByRole('alert').first().waitFor()),
    },
    {
      name: 'forest-offline',
      path: `${url}/`,
      act: loseServer,
    },
    { name: 'health', path: `${url}/`, act: click(/There are problems/) },
    { name: 'token', path: `${locked}/` },
    {
      name: 'token-wrong',
      path: `${locked}/`,
      // The form leads to another page.
      act: async (page) => {
        await page.getByLabel(/token/).fill('wrong');
        await page.keyboard.press('Enter');
        await page.getByRole('alert').waitFor();
      },
    },
    { name: 'drawer', path: `${url}/settings`, act: press('\\') },
    { name: 'new', path: `${url}/new` },
    { name: 'new-empty', path: `${bare}/new` },
    { name: 'new-suggestions', path: `${url}/new`, act: write('/') },
    { name: 'new-at', path: `${url}/new`, act: write('@') },
    { name: 'new-models', path: `${url}/new`, act: click(/^Model:/) },
    { name: 'new-settings', path: `${url}/new`, act: click(/^Parameters/) },
    { name: 'new-ways', path: `${url}/new`, act: inOrder(write('Draw.'), click(/^Ways to send/)) },
    { name: 'new-agents', path: `${url}/new`, act: click(/^Agent/) },
    { name: 'new-tools', path: `${url}/new`, act: click(/^Tools/) },
    {
      name: 'new-attached',
      path: `${url}/new`,
      act: (page) =>
        page.getByLabel('Files to attach').setInputFiles([
          { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(DOT, 'base64') },
          { name: 'a-list-with-a-very-long-name-indeed.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b') },
        ]),
    },
    { name: 'new-prompt-used', path: `${url}/new`, act: inOrder(write('/'), press('Enter')) },
    { name: 'new-prompts', path: `${url}/new`, act: command('Prompts') },
    { name: 'new-prompt', path: `${url}/new`, act: inOrder(command('Prompts'), click('New prompt')) },
    {
      name: 'new-key-refused',
      path: `${url}/new`,
      act: inOrder(
        (page) =>
          page.route('**/check', (route) =>
            route.fulfill({ json: { works: false, problem: 'openai answered 401: invalid API key' } }),
          ),
        click(/providers? ha(ve|s) a key/),
        click('Test the key'),
        (page) => page.getByText(/invalid API key/).waitFor(),
      ),
    },
    { name: 'conversation', path: lisbon },
    { name: 'conversation-loading', path: lisbon, act: holdServer },
    {
      name: 'conversation-unfolded',
      path: lisbon,
      act: inOrder(press('Home'), click(/^Thought/), click(/get_weather/)),
    },
    { name: 'conversation-other-provider', path: lisbon, act: chooseModel('openai/gpt-5.5') },
    { name: 'conversation-fork', path: `${url}/t/${threads.fork}` },
    { name: 'conversation-unasked', path: `${url}/t/${threads.unasked}` },
    { name: 'conversation-open-call', path: `${url}/t/${threads.open}` },
    { name: 'conversation-result', path: `${url}/t/${threads.open}`, act: click('Go on from here') },
    {
      name: 'conversation-system-text',
      path: `${url}/t/${threads.refused}`,
      act: inOrder(click('More to do with this message'), (page) =>
        page.getByRole('menuitem', { name: /system text/ }).click(),
      ),
    },
    {
      name: 'conversation-copy-refused',
      path: lisbon,
      act: inOrder(
        (page) => page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())'),
        choose('Copy link'),
      ),
    },
    { name: 'conversation-help', path: lisbon, act: press('?') },
    { name: 'conversation-long', path: `${url}/t/${threads.long}` },
    { name: 'conversation-deleted', path: `${url}/c/${threads.deleted}` },
    { name: 'conversation-session', path: `${url}/t/${coding}` },
    { name: 'conversation-recorded', path: `${url}/t/${recorded?.id}` },
    {
      name: 'conversation-offline',
      path: lisbon,
      act: loseServer,
    },
    { name: 'conversation-source', path: `${url}/t/sample-tile`, act: click(/^Source 1/) },
    { name: 'conversation-picture', path: `${url}/t/sample-tile`, act: inOrder(press('Home'), click(/^Enlarge/)) },
    { name: 'conversation-preview', path: `${url}/t/${threads.rich}`, act: click('Show the preview') },
    { name: 'conversation-plain', path: lisbon, act: command('Show the message as written') },
    { name: 'conversation-split', path: lisbon, act: choose('Split in two') },
    { name: 'conversation-delete-others', path: lisbon, act: choose('Delete all but this path') },
    { name: 'conversation-toast', path: lisbon, act: choose('Copy link') },
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
    { name: 'inspector-diff-words', path: `${url}/t/sample-tile`, act: openTab('Diff') },
    { name: 'inspector-pretty', path: lisbon, act: inOrder(openTab('Raw'), click(/^Pretty/)) },
    { name: 'inspector-cache', path: `${url}/t/${scarf}`, act: inOrder(openTab('Usage'), showTurns) },
    {
      name: 'inspector-tree',
      path: lisbon,
      act: async (page) => {
        if ((await page.getByRole('tab', { name: 'Tree' }).count()) === 0) await page.keyboard.press('t');
      },
    },
    { name: 'session', path: `${url}/s/${coding}` },
    {
      name: 'session-unfolded',
      path: `${url}/s/${coding}`,
      act: inOrder(click(/npm test -- cart/), click(/src\/cart\.ts/)),
    },
    { name: 'session-missing', path: `${url}/s/nothing` },
    { name: 'graph', path: `${url}/graph` },
    { name: 'graph-empty', path: `${bare}/graph` },
    { name: 'graph-below', path: `${url}/graph/${fork?.id}` },
    { name: 'graph-missing', path: `${url}/graph/zzzz` },
    {
      name: 'graph-selected',
      path: `${url}/graph`,
      act: inOrder(
        (page) => page.getByRole('application').focus(),
        press('PageDown', 'ArrowRight', 'ArrowRight', 'ArrowRight'),
      ),
    },
    { name: 'compare', path: compare },
    { name: 'compare-missing', path: `${url}/compare?nodes=zzzz` },
    { name: 'compare-source', path: compare, act: click('Source') },
    { name: 'compare-models', path: compare, act: click(/^Models$/) },
    { name: 'compare-branches', path: compare, act: click('Add a branch') },
    { name: 'compare-common', path: compare, act: (page) => page.getByText(/in common/).click() },
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
    { name: 'recording-headers', path: `${url}/recordings`, act: inOrder(firstCall, click('Headers', 'tab')) },
    { name: 'recordings-filters', path: `${url}/recordings?outcome=refused`, act: openFilters },
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
    { name: 'recording-missing', path: `${url}/recordings/nothing` },
    { name: 'recordings-failed', path: `${url}/recordings`, act: click(/Summarise the week/, 'link') },
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
    { name: 'usage-tag', path: `${url}/usage?by=tag` },
    {
      name: 'usage-budgets',
      path: `${url}/usage`,
      act: (page) => page.getByRole('region', { name: 'Budgets' }).scrollIntoViewIfNeeded(),
    },
    { name: 'usage-empty', path: `${bare}/usage` },
    { name: 'settings', path: `${url}/settings` },
    {
      name: 'settings-keys',
      path: `${url}/settings#keys`,
      act: (page) => page.getByRole('region', { name: 'Keys', exact: true }).scrollIntoViewIfNeeded(),
    },
    {
      name: 'settings-key-taken',
      path: `${url}/settings#keys`,
      act: inOrder(click(/^Change the key of: Help/), press('n')),
    },
    {
      name: 'palette-nothing',
      path: `${url}/`,
      act: inOrder(press('Control+k'), (page) => page.keyboard.type('nothinglikethis')),
    },
    { name: 'palette', path: `${url}/`, act: press('Control+k') },
    { name: 'palette-found', path: `${url}/`, act: inOrder(press('Control+k'), (page) => page.keyboard.type('lis')) },
    { name: 'palette-models', path: `${url}/`, act: press('Control+m') },
    { name: 'help', path: `${url}/`, act: press('?') },
    { name: 'nowhere', path: `${url}/no/such/place` },
    // What follows changes what is stored.
    {
      name: 'forest-imported',
      path: `${url}/`,
      act: inOrder(importFile(IMPORTED, 'kept.jsonl'), (page) => page.getByText(/could not be read/).click()),
    },
    {
      name: 'forest-undo',
      path: `${url}/`,
      act: inOrder((page) => page.getByRole('main').locator('a[data-title]').first().focus(), press('Delete')),
    },
  ];
}
