/** What models cost: divided by tag, saved by caches, and drawn so that it can be read in both themes. */
import { costOf } from '@skein/core/prices';
import { says } from '@skein/emulator';
import { expect, test } from 'vitest';
import { inChromium, program, startApp } from './kit.ts';

inChromium();

const used = (text: string, cached: number) => ({ ...says(text), usage: { input: 4000, cached, output: 50 } });
const ask = (content: string) => ({ messages: [{ role: 'user', content }] });

test('costs are divided by tag, and the page says what caches saved', async () => {
  const app = await startApp({ generate: { random: () => 0, costOf } });
  const call = program(app);
  await call(ask('Name a river.'), used('Tagus.', 3000));
  await call(ask('Name a lake.'), used('Alqueva.', 0));
  const { items } = await app.forest.threads.list();
  for (const { id, title } of items)
    await app.forest.threads.tag(id, { water: true, ...(title.includes('lake') && { still: true }) });
  const page = await app.open('/usage');
  const saved = page.locator('dl div', { hasText: 'Saved by caches' });
  await expect.poll(() => saved.locator('dd').innerText()).toMatch(/^\$0\.\d+$/);
  await page.getByRole('combobox', { name: 'Divide by' }).selectOption('tag');
  await page.waitForURL(/by=tag/);
  const sums = page.getByRole('region', { name: 'Sums' });
  const cells = async (tag: string) =>
    sums
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: tag, exact: true }) })
      .getByRole('cell')
      .allInnerTexts();
  await sums.getByRole('rowheader', { name: 'water', exact: true }).waitFor();
  // Replies, tokens sent, the share from the cache.
  expect((await cells('water')).slice(0, 3)).toEqual(['2', '8k', '38 %']);
  expect((await cells('still')).slice(0, 3)).toEqual(['1', '4k', '0 %']);
  // A reply with two tags counts for both, so the tags have no total.
  expect(await page.locator('dl div', { hasText: 'Saved by caches' }).count()).toBe(0);
});

/** What is least readable of the chart: the contrast of its fillings and of its words to their background. */
interface ChartContrast {
  readonly bars: number;
  readonly words: number;
  readonly colors: number;
}

test('the chart of costs is drawn in the colours of the theme, which differ enough from the page in both', async () => {
  const app = await startApp({ generate: { random: () => 0, costOf } });
  const call = program(app);
  for (const model of ['claude-sonnet-4-5', 'claude-haiku-4-5'])
    await call({ ...ask('Name a river.'), model }, used('Tagus.', 0));
  const page = await app.open('/usage', { colorScheme: 'light' });
  await page.locator('canvas').waitFor();
  /** Contrasts as WCAG counts them, of what the canvas really shows. */
  const read = () =>
    page.evaluate((): ChartContrast => {
      const shown = document.querySelector('canvas')!;
      const copy = Object.assign(document.createElement('canvas'), { width: shown.width, height: shown.height });
      const pen = copy.getContext('2d', { willReadFrequently: true })!;
      pen.drawImage(shown, 0, 0);
      const { data, width, height } = pen.getImageData(0, 0, copy.width, copy.height);
      const background = getComputedStyle(shown.closest('figure')!).backgroundColor.match(/\d+/g)!.map(Number);
      const luminance = (color: readonly number[]) => {
        const [r, g, b] = color.map((value) => {
          const part = value / 255;
          return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
      };
      const contrast = (color: readonly number[]) => {
        const [light, dark] = [luminance(color), luminance(background)].sort((a, b) => b - a);
        return (light! + 0.05) / (dark! + 0.05);
      };
      // The words are at the left and below; what stands between is bars and the lines of the grid.
      const axis = { left: 60 * devicePixelRatio, bottom: height - 50 * devicePixelRatio };
      const areas = new Map<string, number>();
      let words = 1;
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] !== 255) continue;
        const color = [...data.slice(at, at + 3)];
        const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
        if (x < axis.left) words = Math.max(words, contrast(color));
        else if (y < axis.bottom) areas.set(color.join(), (areas.get(color.join()) ?? 0) + 1);
      }
      const filled = [...areas]
        .filter(([, count]) => count > (width * height) / 2000)
        .map(([color]) => contrast(color.split(',').map(Number)))
        .filter((one) => one > 1.5);
      return { bars: Math.min(...filled), words, colors: filled.length };
    });
  const seen: ChartContrast[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
    await expect.poll(async () => (await read()).colors, { message: colorScheme }).toBe(2);
    const { bars, words } = await read();
    expect(bars, `bars, ${colorScheme}`).toBeGreaterThanOrEqual(3);
    expect(words, `words, ${colorScheme}`).toBeGreaterThanOrEqual(4.5);
    seen.push({ bars, words, colors: 2 });
  }
  expect(seen[0]).not.toEqual(seen[1]);
});
