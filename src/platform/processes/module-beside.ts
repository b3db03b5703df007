/** The address of a module in the same folder, in the same language: TypeScript as written, JavaScript as built. */
export function moduleBeside(importer: string, name: string): URL {
  return new URL(`./${name}${importer.endsWith('.ts') ? '.ts' : '.js'}`, importer);
}
