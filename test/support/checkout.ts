import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, link, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newDirectory } from './workspace.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Copies all that building Nexus takes, with what was built last. */
export async function copySources(): Promise<string> {
  const root = await newDirectory('sources');
  const configuration = ['package.json', 'package-lock.json', 'tsconfig.json', 'rolldown.config.mjs'];
  await copyParts(root, ['src', 'web', 'scripts', 'migrations', 'dist', ...configuration]);
  await symlink(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'));
  return root;
}

/** Unpacks the package that `npm pack` makes, and adds the packages that it needs to run, as `npm install` would. */
export async function installPackage(): Promise<string> {
  const directory = await newDirectory('package');
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', directory], { cwd: ROOT });
  const [archive = ''] = await readdir(directory);
  await run('tar', ['-xzf', archive], { cwd: directory });
  const root = path.join(directory, 'package');
  const lock = JSON.parse(await readFile(path.join(ROOT, 'package-lock.json'), 'utf8'));
  const needed = Object.entries<{ dev?: boolean; optional?: boolean; os?: string[]; cpu?: string[] }>(
    lock.packages,
  )
    .filter(([place, entry]) => place.startsWith('node_modules/') && !entry.dev)
    .filter(
      ([, { os, cpu }]) => (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true),
    );
  for (const [place, { optional }] of needed) {
    // Packages for another C library are not installed.
    if (optional && !existsSync(path.join(ROOT, place))) continue;
    await linkTree(path.join(ROOT, place), path.join(root, place));
  }
  return root;
}

async function copyParts(root: string, parts: string[]): Promise<void> {
  for (const part of parts) await cp(path.join(ROOT, part), path.join(root, part), { recursive: true });
}

/** Links files rather than copying them where the file system can: there are thousands. */
async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) await linkTree(source, target);
    else if (entry.isFile()) await link(source, target).catch(() => copyFile(source, target));
    else await cp(source, target, { verbatimSymlinks: true });
  }
}
