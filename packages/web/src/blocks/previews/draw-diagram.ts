import mermaid from 'mermaid';

let count = 0;

/** Draws a Mermaid diagram as SVG, in the colours of the current theme. Throws if it cannot be read. */
export async function drawDiagram(code: string): Promise<string> {
  const isDark = document.documentElement.dataset.theme === 'dark';
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: isDark ? 'dark' : 'neutral',
    // The picture is a document of its own, which has the fonts of the system alone.
    fontFamily: 'system-ui, sans-serif',
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    suppressErrorRendering: true,
  });
  const { svg } = await mermaid.render(`diagram-${++count}`, code);
  return svg;
}
