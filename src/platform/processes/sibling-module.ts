/** Returns the URL of a module in the importer's folder: `.ts` in the source tree, `.js` in the build. */
export function siblingModule(importer: string, name: string): URL {
  return new URL(`./${name}${importer.endsWith('.ts') ? '.ts' : '.js'}`, importer);
}
