import { createRequire } from 'node:module';

interface Listener {
  syntaxError(recogniser: unknown, symbol: unknown, line: number, column: number, message: string): void;
  reportAmbiguity(): void;
  reportAttemptingFullContext(): void;
  reportContextSensitivity(): void;
}

interface Recogniser {
  removeErrorListeners(): void;
  addErrorListener(listener: Listener): void;
}

// The package's ES module loads only in a bundler.
const load = createRequire(import.meta.url);
const { CypherLexer, CypherParser } = load('@neo4j-cypher/antlr4') as {
  CypherLexer: new (input: unknown) => Recogniser;
  CypherParser: new (tokens: unknown) => Recogniser & { cypher(): unknown };
};
const { InputStream, CommonTokenStream } = load('@neo4j-cypher/antlr4-browser').default;

/** Syntax errors that Neo4j's own grammar finds in a statement. */
export function cypherErrors(statement: string): string[] {
  const errors: string[] = [];
  const listener: Listener = {
    syntaxError: (_recogniser, _symbol, line, column, message) =>
      void errors.push(`${line}:${column} ${message}`),
    reportAmbiguity() {},
    reportAttemptingFullContext() {},
    reportContextSensitivity() {},
  };
  const lexer = new CypherLexer(new InputStream(statement));
  const parser = new CypherParser(new CommonTokenStream(lexer));
  for (const recogniser of [lexer, parser]) {
    recogniser.removeErrorListeners();
    recogniser.addErrorListener(listener);
  }
  parser.cypher();
  return errors;
}
