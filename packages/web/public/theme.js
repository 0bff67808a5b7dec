// Runs before the page is drawn, so that it never flashes in the other theme. The same rule is in src/state/theme.ts.
const chosen = localStorage.getItem('skein.theme');
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
