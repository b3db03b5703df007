/** The directory of package.json. A checkout runs the modules in src/; a build has all of them directly in dist/. */
export const ROOT = new URL(import.meta.url.endsWith('.ts') ? '../../' : '../', import.meta.url);
