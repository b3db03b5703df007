import { vi } from 'vitest';
import { runCli } from '../../src/cli/cli.ts';
import { environment } from './nexus-process.ts';

/** Runs a command in this process, for tests that are not about the process: starting one takes a second. */
export async function runCommand(args: string[], env: Record<string, string>) {
  const before = { env: process.env, exitCode: process.exitCode };
  let stdout = '';
  let output = '';
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      if (name === 'stdout') stdout += chunk;
      output += chunk;
      return true;
    }),
  );
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue('/');
  process.env = environment(env);
  process.exitCode = undefined;
  try {
    const code = await runCli(['node', 'nexus', ...args]);
    return { code, stdout, output };
  } finally {
    Object.assign(process, before);
    for (const spy of [...spies, cwd]) spy.mockRestore();
  }
}
