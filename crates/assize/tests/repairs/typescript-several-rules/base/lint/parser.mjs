// Has ESLint's own parser read TypeScript: what is a type and nothing else becomes blanks, so that every place stays.
import * as espree from "espree";
import ts from "typescript";

function isTypeOnly(node) {
  const isImport = ts.isImportDeclaration(node) && node.importClause?.isTypeOnly;
  return isImport || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
}

function blanks(node, add) {
  if (isTypeOnly(node)) {
    add(node.getStart(), node.end);
    return;
  }
  if (ts.isAsExpression(node)) {
    add(node.expression.end, node.end);
  } else if (node.type) {
    // With the colon before it.
    add(node.type.pos - 1, node.type.end);
  }
  for (const list of [node.typeParameters, node.typeArguments].filter(Boolean)) {
    add(list.pos - 1, list.end + 1);
  }
  for (const modifier of node.modifiers ?? []) {
    if (modifier.kind !== ts.SyntaxKind.ExportKeyword && modifier.kind !== ts.SyntaxKind.AsyncKeyword) {
      add(modifier.getStart(), modifier.end);
    }
  }
  ts.forEachChild(node, (child) => blanks(child, add));
}

function parseForESLint(code, options) {
  const letters = code.split("");
  const add = (start, end) => {
    for (let at = start; at < end; at += 1) {
      letters[at] = /\s/.test(letters[at]) ? letters[at] : " ";
    }
  };
  blanks(ts.createSourceFile("module.ts", code, ts.ScriptTarget.Latest, true), add);
  return { ast: espree.parse(letters.join(""), { ...options, range: true, loc: true, tokens: true, comment: true }) };
}

export default { parseForESLint };
