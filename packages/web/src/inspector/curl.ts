export interface CurlRequest {
  readonly url: string;
  /** Values may name a variable of the shell: `Bearer $OPENAI_API_KEY`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A command for a POSIX shell that sends a request byte for byte, with the key from the environment. */
export function toCurl({ url, headers, body }: CurlRequest): string {
  const lines = [
    `curl ${quote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteHeader(`${name}: ${value}`)}`),
    `--data-binary ${quote(body)}`,
  ];
  return lines.join(' \\\n  ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const VARIABLE = /\$[A-Z][A-Z0-9_]*/g;

/** Single quotes around everything but variables, which stand in double ones. */
function quoteHeader(text: string): string {
  const variables = text.match(VARIABLE) ?? [];
  return text
    .split(VARIABLE)
    .flatMap((plain, index) => [plain === '' ? '' : quote(plain), variables[index] ? `"${variables[index]}"` : ''])
    .join('');
}
