import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { newDirectory } from './workspace.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Copies what runs Nexus, and nothing that only builds or tests it, into a directory with the given mode. */
export async function copyCheckout(mode: number): Promise<string> {
  const root = await newDirectory('checkout');
  for (const part of ['dist', 'migrations', 'package.json']) {
    await cp(path.join(ROOT, part), path.join(root, part), { recursive: true });
  }
  const lock = JSON.parse(await readFile(path.join(ROOT, 'package-lock.json'), 'utf8'));
  const needed = Object.entries<{ dev?: boolean; optional?: boolean; os?: string[]; cpu?: string[] }>(
    lock.packages,
  )
    .filter(([place, entry]) => place.startsWith('node_modules/') && !entry.dev)
    .filter(
      ([, { os, cpu }]) => (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true),
    );
  for (const [place, { optional }] of needed) {
    // What is made for another C library is not installed.
    if (optional && !existsSync(path.join(ROOT, place))) continue;
    await mkdir(path.dirname(path.join(root, place)), { recursive: true });
    await cp(path.join(ROOT, place), path.join(root, place), { recursive: true, verbatimSymlinks: true });
  }
  await chmod(root, mode);
  return root;
}
