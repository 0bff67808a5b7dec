// What a person does in the page, as steps that lead to one of its states.

/** @import { Page } from 'playwright-core' */

/**
 * Waits until nothing changes any more.
 * @param {Page} page
 */
export async function settle(page) {
  await page.evaluate(`(async () => {
    let changes = 0;
    const giveUpAt = Date.now() + 30_000;
    const observer = new MutationObserver(() => { changes += 1; });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    const isLoading = () => !window.held && document.querySelector('main .animate-pulse.bg-hover');
    for (let before = -1; before !== changes || isLoading(); ) {
      before = changes;
      if (Date.now() > giveUpAt) throw new Error('It does not come to rest.');
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    observer.disconnect();
  })()`);
}

/** @param {...string} keys */
export const press =
  (...keys) =>
  async (/** @type {Page} */ page) => {
    for (const key of keys) await page.keyboard.press(key);
  };

/** @param {string | RegExp} name @param {'button' | 'tab' | 'link'} [role] */
export const click =
  (name, role = 'button') =>
  (/** @type {Page} */ page) =>
    page.getByRole(role, { name }).first().click();

/**
 * Loads the page again, and lets no answer of the API come.
 * @param {Page} page
 */
export async function holdServer(page) {
  // Streams of events are not awaited by any screen.
  await page.route(/\/api\/v1\/(?!events)/, () => undefined);
  await page.addInitScript('window.held = true');
  await page.reload();
  await page.locator('main .animate-pulse.bg-hover').first().waitFor();
  // The lines of what is loading come late, so that a fast answer shows none.
  await page.waitForTimeout(800);
}

/** @param {string} text */
export const write = (text) => (/** @type {Page} */ page) => page.getByRole('textbox', { name: 'Message' }).fill(text);

/** @param {string} query @returns {(page: Page) => Promise<unknown>} */
export const command = (query) => async (page) => {
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search or run a command').fill(query);
  // A filter behind the palette may have an option of the same name.
  await page.getByRole('dialog').getByRole('option', { name: query }).first().click();
};

/** @param {...((page: Page) => Promise<unknown>)} acts @returns {(page: Page) => Promise<void>} */
export const inOrder =
  (...acts) =>
  async (page) => {
    for (const act of acts) {
      await act(page);
      await settle(page);
    }
  };

/** @param {string} name of a tab of the inspector */
export const openTab = (name) =>
  inOrder(press('t'), async (page) => {
    if ((await page.getByRole('tab', { name }).count()) === 0) await page.keyboard.press('t');
    await page.getByRole('tab', { name }).click();
  });
