// Lets this process and the processes that it forks import the sources of Nexus.
const HOOK = new URL('../test/support/typescript-in-processes.mjs', import.meta.url).href;

await import(HOOK);
process.execArgv.push('--import', HOOK);
