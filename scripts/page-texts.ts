import ts from 'typescript';

/** A text in a source file that a reader would see. */
export interface VisibleText {
  readonly node: ts.JsxText | ts.StringLiteral | ts.NoSubstitutionTemplateLiteral | ts.TemplateExpression;
  readonly text: string;
}

/**
 * Finds the texts of a source file that are shown and not taken from the catalogue: text of elements, names and titles, and whatever
 * else begins like a sentence. It judges by form, so that names of keys, classes and protocols have to be told apart by where they are.
 */
export function findVisibleTexts(file: ts.SourceFile): readonly VisibleText[] {
  const found: VisibleText[] = [];
  const visit = (node: ts.Node): void => {
    if (isOutside(node)) return;
    const text = readText(node);
    if (text !== undefined && /\p{L}{2}/u.test(text) && !isTechnical(text) && isShown(node, text))
      found.push({ node: node as VisibleText['node'], text });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function readText(node: ts.Node): string | undefined {
  if (ts.isJsxText(node)) return node.text;
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…');
  return undefined;
}

/** Parts of a file without anything to show: types, imports, and the calls that read the catalogue. */
function isOutside(node: ts.Node): boolean {
  return (
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    (ts.isCallExpression(node) &&
      SILENT_CALLS.test(node.expression.getText()) &&
      node.arguments.every((one) => !ts.isFunctionLike(one)))
  );
}

/** Calls whose texts are names for the page itself. */
const SILENT_CALLS =
  /(\.(includes|startsWith|endsWith|closest|matches|querySelector(All)?|getElementById|getItem|setItem|removeItem|addEventListener|removeEventListener|split|replaceAll|test|exec|dispatch|set|get|has|append|createElement)$|^(create|lazy|import|matchMedia|postMessage))$/;

/** Attributes and members that are read by people. */
const SHOWN_NAMES =
  /^(aria-label|aria-description|aria-roledescription|aria-valuetext|title|label|placeholder|alt|summary|heading|empty|text|note|about|hint|description|words|message|detail|said|what|fallback|tip|unit|action)$/;

/** Attributes and members that are not. */
const SILENT_NAMES =
  /^(className|class|keys|key|group|id|type|href|role|on|name|kind|d|style|rel|target|value|look|side|align|as|item|method|dataset|origin|gridColumn|gridRow)$|ClassName$/;

function isShown(node: ts.Node, text: string): boolean {
  if (ts.isJsxText(node)) return true;
  let child: ts.Node = node;
  for (let at = node.parent; at; child = at, at = at.parent) {
    if (ts.isConditionalExpression(at) && at.condition !== child) continue;
    if (ts.isParenthesizedExpression(at) || ts.isTemplateSpan(at) || ts.isTemplateExpression(at)) continue;
    if (ts.isBinaryExpression(at)) {
      if (JOINS.has(at.operatorToken.kind)) continue;
      return false;
    }
    if (ts.isJsxExpression(at)) {
      if (ts.isJsxElement(at.parent) || ts.isJsxFragment(at.parent)) return true;
      continue;
    }
    if (ts.isJsxAttribute(at)) {
      // The name of a field is for the page itself; what a component calls a name is shown.
      const isOfComponent = /^\p{Lu}/u.test(at.parent.parent.tagName.getText());
      return (isOfComponent && at.name.getText() === 'name') || isNameShown(at.name.getText(), text);
    }
    if (ts.isCallExpression(at) && /\.(join|replace)$/.test(at.expression.getText()))
      return / \p{L}|\p{L} /u.test(text);
    if (ts.isPropertyAssignment(at)) return at.initializer === child && isNameShown(at.name.getText(), text);
    if (ts.isCaseClause(at) || ts.isElementAccessExpression(at)) return false;
    break;
  }
  return isSentence(text);
}

const JOINS = new Set([
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.PlusToken,
]);

function isNameShown(written: string, text: string): boolean {
  const name = written.replace(/^['"]|['"]$/g, '');
  if (SILENT_NAMES.test(name)) return false;
  return SHOWN_NAMES.test(name) || isSentence(text);
}

/** Whether a text begins with a capital word, has two words in a row, or a word before a value, as whatever is written for people does here. */
function isSentence(text: string): boolean {
  return [BEGINNING, WORDS_IN_A_ROW, WORD_BEFORE_VALUE].some((form) => form.test(text.trim())) && !KEY_NAMES.test(text);
}

const BEGINNING = /^[“‘]?\p{Lu}\p{Ll}*(?=$|[\s.,:;!?…’”])/u;
const WORDS_IN_A_ROW = /(?<![\p{L}-])\p{L}\p{Ll}+ \p{Ll}{2,}(?![\p{L}-])/u;
const WORD_BEFORE_VALUE = /^\p{Ll}{3,} …/u;

const KEY_NAMES =
  /^(Alt|Ctrl|Shift|Meta|Enter|Escape|Tab|Space|Backspace|Delete|Home|End|Page|Arrow|Mac)\w*$|^(Alt|Ctrl|Shift|Meta)\+/;

/** Addresses, code, and what people do not translate. */
function isTechnical(text: string): boolean {
  const words = text.trim();
  return ADDRESS_OR_CODE.test(words) || NAMES.test(words);
}

const ADDRESS_OR_CODE =
  /^(https?:|\/|\.|#|--|@|\{\{|skein |export |import |curl |\w+\.…)|^[\w.-]+\/[\w.*/-]+$|^[a-z]+([A-Z]\w*)+$|^[A-Z_]{2,}$|^\S+_\S+$/;
const NAMES =
  /^(Skein|Markdown|Mermaid|SVG|HTML|JSON|YAML|CSV|PDF|Esc|ms|min|px|OpenAI|Anthropic|Google|Python|JavaScript|TypeScript|curl)$/;
