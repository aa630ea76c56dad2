// The one door to the `yaml` package. Loading it costs about 100 ms, so this file is only ever imported dynamically,
// through loadYaml() in strict.ts; a static import of it anywhere would put those 100 ms into every start.
export { Composer, Document, isAlias, isMap, isScalar, isSeq, Lexer, Parser, parseDocument, visit } from 'yaml';
