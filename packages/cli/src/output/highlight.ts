/** How a language writes comments and which words it reserves. */
interface Language {
  readonly comment: string;
  readonly words: string;
}

const C_LIKE =
  'async await break case catch class const continue default delete do else enum export extends false final finally fn for from func function go if impl implements import in instanceof interface let match mod mut namespace new nil null of package private protected pub public return self static struct super switch this throw trait true try type typeof undefined use var void while yield int long float double bool boolean string char';

const LANGUAGES: readonly (readonly [names: string, language: Language])[] = [
  [
    'js jsx ts tsx javascript typescript java c cpp c++ h cs csharp go rust rs swift kotlin php scala dart',
    { comment: '//[^\\n]*|/\\*[^\\n]*?(?:\\*/|$)', words: C_LIKE },
  ],
  [
    'py python',
    {
      comment: '#[^\\n]*',
      words:
        'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield',
    },
  ],
  [
    'sh bash zsh shell console fish',
    {
      comment: '(?<=^|\\s)#[^\\n]*',
      words:
        'case do done echo elif else esac eval exec exit export fi for function if in local read return set shift source then trap unset until while',
    },
  ],
  [
    'rb ruby',
    {
      comment: '#[^\\n]*',
      words:
        'begin class def do else elsif end ensure false if in module nil not or rescue return self super then true unless until when while yield',
    },
  ],
  [
    'sql',
    {
      comment: '--[^\\n]*',
      words:
        'add all alter and as asc by case create delete desc distinct drop else end exists from group having in index inner insert into is join key left like limit not null on or order outer primary references select set table then union update values when where',
    },
  ],
  ['json json5 jsonc', { comment: '//[^\\n]*', words: 'true false null' }],
  ['yaml yml toml ini', { comment: '(?<=^|\\s)#[^\\n]*', words: 'true false null yes no on off' }],
];

const COLORS = {
  comment: ['\x1b[2m', '\x1b[22m'],
  string: ['\x1b[32m', '\x1b[39m'],
  number: ['\x1b[33m', '\x1b[39m'],
  word: ['\x1b[35m', '\x1b[39m'],
} as const;

const patterns = new Map<string, RegExp | undefined>();

/** A line of code with colours; undefined for a language that is not known here. Strings and comments end with the line. */
export function highlightCode(line: string, language: string): string | undefined {
  const pattern = patternFor(language.split(/[\s{,:]/)[0]!.toLowerCase());
  return pattern?.[Symbol.replace](line, (whole, ...rest) => {
    const groups = rest.at(-1) as Record<keyof typeof COLORS, string | undefined>;
    const kind = (Object.keys(COLORS) as (keyof typeof COLORS)[]).find((name) => groups[name] !== undefined);
    return kind === undefined ? whole : `${COLORS[kind][0]}${whole}${COLORS[kind][1]}`;
  });
}

function patternFor(name: string): RegExp | undefined {
  if (!patterns.has(name)) {
    const [, found] = LANGUAGES.find(([names]) => names.split(' ').includes(name)) ?? [];
    patterns.set(name, found && toPattern(found, name === 'sql' ? 'gi' : 'g'));
  }
  return patterns.get(name);
}

function toPattern({ comment, words }: Language, flags: string): RegExp {
  const string = '"(?:[^"\\\\]|\\\\.)*"?|\'(?:[^\'\\\\]|\\\\.)*\'?|`(?:[^`\\\\]|\\\\.)*`?';
  return new RegExp(
    `(?<comment>${comment})|(?<string>${string})|(?<number>\\b\\d[\\w.]*\\b)|(?<word>\\b(?:${words.replaceAll(' ', '|')})\\b)`,
    flags,
  );
}
