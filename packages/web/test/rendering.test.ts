/** What models write, drawn: mathematics, diagrams, drawings and pages, none of which can reach anything. */
import { says } from '@skein/emulator';
import { expect, test } from 'vitest';
import { inChromium, startApp } from './kit.ts';

inChromium();

const PAGE = `<!doctype html><p id="x">As written</p><img src="https://elsewhere.example/pixel.png">
<script>
document.getElementById('x').textContent = 'Scripted';
const told = [];
try { told.push('cookie:' + document.cookie); } catch { told.push('no cookie'); }
try { parent.document.title; told.push('parent'); } catch { told.push('no parent'); }
fetch('/api/v1/threads').then(() => told.push('fetched'), () => told.push('no fetch')).then(() => { document.getElementById('x').textContent = told.join(', '); });
</script>`;

const ANSWER = `Euler wrote $e^{i\\pi} + 1 = 0$, and \\(a^2\\) keeps its meaning. It costs $5 or $10.

\\[
\\frac{a}{b}
\\]

Broken: $\\frac{a$ here.

\`\`\`mermaid
flowchart LR
  A[Ask] --> B[Answer]
\`\`\`

\`\`\`svg
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 20"><script>window.bitten = 1</script><image href="https://elsewhere.example/a.png"/><rect width="80" height="20"/></svg>
\`\`\`

\`\`\`html
${PAGE}
\`\`\`
`;

test('mathematics, diagrams and drawings are drawn, and a page runs its scripts only when asked, without network', async () => {
  const { open, emulator, url } = await startApp();
  emulator.script('anthropic-messages', says(ANSWER));
  // What the frame may not do is reported in the console.
  const page = await open('/new', {
    reducedMotion: 'reduce',
    troubles: /Content Security Policy|^csp |sandboxed|Access is denied/,
  });
  const elsewhere: string[] = [];
  // What the browser itself refuses never gets here.
  await page.route(
    ({ href }) => !href.startsWith(url),
    (route) => {
      elsewhere.push(route.request().url());
      return route.abort();
    },
  );
  await page.getByRole('textbox', { name: 'Message' }).fill('Draw.');
  await page.keyboard.press('Enter');
  const answer = page.getByRole('article', { name: 'assistant message' });
  await expect.poll(() => answer.locator('.katex').count()).toBe(3);
  await expect.poll(() => answer.locator('.katex-display').count()).toBe(1);
  await answer.getByText('It costs $5 or $10.').waitFor();
  const diagram = answer.getByRole('figure', { name: 'Code: mermaid' });
  const picture = await diagram.getByRole('img', { name: 'Diagram' }).getAttribute('src');
  // Where nothing may move, Mermaid once measured its boxes before they were at their places, and the picture was cut.
  expect(/viewBox="(\S+) (\S+) /.exec(decodeURIComponent(picture!))?.slice(1).map(Number)).toEqual([0, 0]);
  await diagram.getByRole('button', { name: 'Show the code' }).click();
  await diagram.getByText('flowchart LR').waitFor();
  await answer.getByRole('button', { name: 'Enlarge: Drawing' }).click();
  await page.getByRole('dialog', { name: 'Drawing' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Drawing' }).waitFor({ state: 'hidden' });

  const html = answer.getByRole('figure', { name: 'Code: html' });
  await html.getByRole('button', { name: 'Show the preview' }).click();
  await html.frameLocator('iframe').getByText('As written').waitFor();
  await html.getByRole('button', { name: 'Run scripts' }).click();
  await html.frameLocator('iframe').getByText('no cookie, no parent, no fetch').waitFor();
  const frame = page.frames().find((one) => one.url().endsWith('/preview.html'))!;
  await frame.evaluate("location.href = 'https://elsewhere.example/left'");
  await expect.poll(() => page.frames().some((one) => one.url().endsWith('/preview.html'))).toBe(false);
  await html.getByRole('button', { name: 'Stop scripts' }).click();
  await html.frameLocator('iframe').getByText('As written').waitFor();
  expect(elsewhere).toEqual([]);
  expect(await page.evaluate('window.bitten')).toBeUndefined();
});

test('the frame in which scripts may run has no origin and no network, and the page has frames of this server alone', async () => {
  const { url } = await startApp();
  const policy = async (path: string) => (await fetch(url + path)).headers.get('content-security-policy') ?? '';
  expect(await policy('/')).toContain("frame-src 'self'");
  expect(await policy('/preview.html')).toBe(
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; media-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  );
});
