import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createPagePreloads } from '../../src/http/page-preloads.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUILT = path.join(ROOT, 'dist/web');
const sources = readdirSync(path.join(ROOT, 'web'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(tsx?|js|css|html)$/.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(ROOT, 'web', file), 'utf8') }));

interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
}

test('the initial JavaScript is at most 200 kB compressed', () => {
  const manifest: Record<string, Chunk> = JSON.parse(
    readFileSync(path.join(BUILT, '.vite/manifest.json'), 'utf8'),
  );
  const initial = new Set<string>();
  const visit = (name: string) => {
    if (initial.has(name)) return;
    initial.add(name);
    for (const next of manifest[name]?.imports ?? []) visit(next);
  };
  for (const [name, { isEntry }] of Object.entries(manifest)) if (isEntry) visit(name);
  const bytes = [...initial].map(
    (name) => gzipSync(readFileSync(path.join(BUILT, manifest[name]?.file ?? ''))).length,
  );
  expect(initial.size).toBeGreaterThan(0);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(200_000);
});

test('a page names its own scripts and styles, which are loaded with those of the app', () => {
  const preloadsOf = createPagePreloads(BUILT);
  const html = readFileSync(path.join(BUILT, 'index.html'), 'utf8');
  const linked = (page: string) =>
    [...(preloadsOf(page)?.matchAll(/<\/app\/([^>]+)>/g) ?? [])].map(([, file]) => file);
  for (const [page, chunk] of [
    ['', 'home-page-'],
    ['read/0190', 'reader-page-'],
  ] as const) {
    const [session, ...files] = linked(page);
    expect(session).toBe('session');
    expect(files.filter((file) => file?.includes(chunk)).length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(path.join(BUILT, file ?? '')))).toEqual([]);
    expect(files.filter((file) => html.includes(file ?? ''))).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(8);
  }
  expect(linked('settings')).toEqual(['session']);
  expect(preloadsOf('sign-in')).toBeUndefined();
});

test('the web app does not use internal routes', () => {
  expect(sources.length).toBeGreaterThan(80);
  expect(sources.filter(({ text }) => text.includes('/internal')).map(({ file }) => file)).toEqual([]);
  const scripts = readdirSync(path.join(BUILT, 'assets')).filter((file) => file.endsWith('.js'));
  expect(
    scripts.filter((file) => readFileSync(path.join(BUILT, 'assets', file), 'utf8').includes('/internal/')),
  ).toEqual([]);
});

test('only one component inserts HTML', () => {
  const pattern = /dangerouslySetInnerHTML|\.innerHTML|insertAdjacentHTML|document\.write/;
  expect(sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file)).toEqual([
    'src/reader/sanitized-html.tsx',
  ]);
});

test('nothing is loaded from other hosts, and nothing is inline', () => {
  const html = readFileSync(path.join(BUILT, 'index.html'), 'utf8');
  expect(html).not.toMatch(/<script(?![^>]*src=)|<style|style=|https?:/);
});
