/** Where in a file a change is: in which functions, and whether it is the wording of an error. */
import ts from 'typescript';

/**
 * @typedef {{ line: number, column: number }} Position
 * @typedef {{ within: string[], isErrorText: boolean }} Place
 */

/**
 * Names are as in `openStore`, `Disk.#write`, `openStore.append` for a method of an object that `openStore` makes, and `LIMITS` for a
 * constant of the file.
 * @param {string} path
 * @param {string} text
 * @returns {{ names: string[], find: (start: Position, end: Position) => Place }}
 */
export function readPlaces(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  /** @type {{ name: string, start: number, end: number }[]} */
  const named = [];
  /** @type {{ start: number, end: number }[]} */
  const errorTexts = [];
  visit(file, '', false);
  const find = (/** @type {Position} */ startAt, /** @type {Position} */ endAt) => {
    const start = file.getPositionOfLineAndCharacter(startAt.line, startAt.column);
    const end = file.getPositionOfLineAndCharacter(endAt.line, endAt.column);
    const surrounds = (/** @type {{ start: number, end: number }} */ one) => one.start <= start && end <= one.end;
    return { within: named.filter(surrounds).map(({ name }) => name), isErrorText: errorTexts.some(surrounds) };
  };
  return { names: named.map(({ name }) => name), find };

  /** @param {ts.Node} node @param {string} outer @param {boolean} inError */
  function visit(node, outer, inError) {
    const [start, end] = [node.getStart(file), node.end];
    const name = nameOf(node);
    const path = name === undefined ? outer : outer === '' ? name : `${outer}.${name}`;
    if (name !== undefined && !ts.isClassDeclaration(node)) named.push({ name: path, start, end });
    if (inError && isText(node) && /\s/.test(node.getText(file))) errorTexts.push({ start, end });
    const isError = ts.isNewExpression(node) && /Error$/.test(node.expression.getText(file));
    ts.forEachChild(node, (child) => visit(child, path, inError || isError));
  }
}

/** @param {ts.Node} node */
function isText(node) {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** @param {ts.Node} node @returns {string | undefined} */
function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  if (ts.isVariableDeclaration(node)) {
    const isOfFile = ts.isSourceFile(node.parent.parent.parent);
    return isOfFile || isFunction(node.initializer) ? node.name.getText() : undefined;
  }
  if (ts.isPropertyAssignment(node)) return isFunction(node.initializer) ? node.name.getText() : undefined;
  if (
    ts.isClassDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isAccessor(node) ||
    ts.isPropertyDeclaration(node)
  )
    return node.name?.getText();
  return undefined;
}

/** @param {ts.Node | undefined} node */
function isFunction(node) {
  return node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
}
