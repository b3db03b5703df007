import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** The features in the order in which `app/nexus.ts` adds them. A feature may know the features before it. */
const FEATURES = [...read('src/app/nexus.ts').matchAll(/\.add\(.*?create(\w+)Feature\b/g)].map(
  ([, name = '']) => name.toLowerCase(),
);

interface Import {
  from: string;
  to: string;
}

const files = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => path.posix.join('src', file))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));

const imports: Import[] = files.flatMap(importsOf);

function importsOf(from: string): Import[] {
  return [...read(from).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) => ({
    from,
    to: target.startsWith('.') ? path.posix.join(path.posix.dirname(from), target) : target,
  }));
}

const feature = (file: string) => /^src\/features\/([^/]+)\//.exec(file)?.[1];
const isIn = (file: string, ...folders: string[]) =>
  folders.some((folder) => file.startsWith(`src/${folder}/`));

const RULES: [string, (edge: Import) => boolean][] = [
  [
    'contract imports nothing of Node and nothing else of Nexus',
    ({ from, to }) =>
      isIn(from, 'contract') && (to.startsWith('node:') || (to.startsWith('src/') && !isIn(to, 'contract'))),
  ],
  [
    'platform knows only itself and the contract',
    ({ from, to }) => isIn(from, 'platform') && to.startsWith('src/') && !isIn(to, 'platform', 'contract'),
  ],
  [
    'platform/database is the only one that talks to the driver',
    ({ from, to }) => !isIn(from, 'platform/database') && /^pg($|-)/.test(to),
  ],
  ['http knows no feature', ({ from, to }) => isIn(from, 'http') && isIn(to, 'features', 'app', 'cli')],
  [
    'features know http only in their routes, and in the type of what a feature contributes',
    ({ from, to }) =>
      isIn(from, 'features') &&
      from !== 'src/features/feature.ts' &&
      !/(^|-)routes\.ts$/.test(path.basename(from)) &&
      (isIn(to, 'http') || to === 'fastify'),
  ],
  ['features never know app or cli', ({ from, to }) => isIn(from, 'features') && isIn(to, 'app', 'cli')],
  [
    'a feature knows only those before it',
    ({ from, to }) => {
      const [source, target] = [feature(from), feature(to)];
      return (
        source !== undefined && target !== undefined && FEATURES.indexOf(target) > FEATURES.indexOf(source)
      );
    },
  ],
  [
    "a feature never reads another feature's store",
    ({ from, to }) => feature(to) !== undefined && feature(from) !== feature(to) && /store\.ts$/.test(to),
  ],
  [
    'only app wires features together',
    ({ from, to }) => !isIn(from, 'app') && /^src\/features\/[^/]+\/feature\.ts$/.test(to),
  ],
  ['app never knows cli', ({ from, to }) => isIn(from, 'app') && isIn(to, 'cli')],
];

test('the enumeration finds the files', () => {
  expect(files.length).toBeGreaterThan(30);
  expect(imports).toContainEqual({ from: 'src/main.ts', to: 'src/cli/cli.ts' });
});

test('every folder of features has a feature.ts, and app/nexus.ts adds it', () => {
  const folders = [...new Set(files.map(feature).filter((name) => name !== undefined))];
  expect(folders.toSorted()).toEqual(FEATURES.toSorted());
  for (const name of folders) expect(files).toContain(`src/features/${name}/feature.ts`);
});

test('a command is loaded only when it is called, so that the others start fast', () => {
  const loadedAlways = [...read('src/cli/cli.ts').matchAll(/^import .* from '([^']+)';$/gm)];
  expect(loadedAlways.map(([, target]) => target)).toEqual(['commander', '../platform/version.ts']);
});

test('a service is created in one place', () => {
  const calls = files.flatMap((file) =>
    [...read(file).matchAll(/(?<!function )\b(create[A-Z]\w*)\(/g)].map(([, name = '']) => ({ file, name })),
  );
  const wired = calls.filter(({ file }) => /\/(feature|nexus)\.ts$/.test(file));
  const twice = wired.filter(({ name }) => calls.filter((call) => call.name === name).length > 1);
  expect(wired.length).toBeGreaterThan(50);
  expect(twice).toEqual([]);
});

test.each(RULES)('%s', (_rule, breaks) => {
  expect(imports.filter(breaks).map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
});

test('the web app knows only itself and the contract', () => {
  const sources = readdirSync(path.join(ROOT, 'web/src'), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join('web/src', file))
    .filter((file) => !file.endsWith('.test.ts') && /\.tsx?$/.test(file));
  const strangers = sources.flatMap((from) =>
    importsOf(from)
      .filter(({ to }) => /^(src|test|bench)\//.test(to) && !isIn(to, 'contract'))
      .map(({ to }) => `${from} → ${to}`),
  );
  expect(sources.length).toBeGreaterThan(30);
  expect(strangers).toEqual([]);
});

/** zod tries `eval`, which the app's Content-Security-Policy refuses and the browser reports as an error. */
test('the web app imports values only from contract files that do not import zod', () => {
  const valueImports = /^(?:import|export) (?!type )[^;]*?from '([^']*src\/contract\/[^']+)'/gm;
  const sources = readdirSync(path.join(ROOT, 'web/src'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.includes('.test.'),
  );
  const imported = sources.flatMap((file) =>
    [...read(path.posix.join('web/src', file)).matchAll(valueImports)].map(([, target = '']) =>
      path.posix.join('web/src', path.posix.dirname(file), target),
    ),
  );
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((file) => read(file).includes("from 'zod'"))).toEqual([]);
});

function sourcesOf(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file))
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'));
}

test('normalForm is the only one that normalises text: long runs of marks would block it', () => {
  const normalising = ['src', 'web/src']
    .flatMap(sourcesOf)
    .filter((file) => /\.normalize\(/.test(read(file)));
  expect(normalising).toEqual(['src/contract/normal-form.ts']);
});

test('URLs are parsed by parseUrl: URL.canParse refuses umlauts once it is compiled', () => {
  expect(sourcesOf('src').filter((file) => /URL\.canParse\(/.test(read(file)))).toEqual([]);
});

test('no statement uses the table names of the predicates of access, which would then mean other tables', () => {
  const users = files.filter((file) => /\baccess_(edge|joined|listed|mine|saved|theirs)\b/.test(read(file)));
  expect(users).toEqual([
    'src/features/libraries/access/can-read-media.ts',
    'src/features/libraries/closure/derived-rows.ts',
  ]);
});

/** Names the line of each function, and of each type of a function, that has more parameters than `most`. */
function withManyParameters(file: string, most: number): string[] {
  const source = read(file);
  const found: string[] = [];
  const visit = (node: object) => {
    const { type, start, params } = node as { type?: string; start?: number; params?: unknown[] };
    // The `params` of a list of types are types.
    if (params && params.length > most && !type?.startsWith('TSTypeParameter')) {
      found.push(`${file}:${source.slice(0, start).split('\n').length}`);
    }
    for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) visit(child);
  };
  visit(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file));
  return found;
}

test('a function with more than four parameters takes an object', () => {
  const found = ['src', 'web/src'].flatMap(sourcesOf).flatMap((file) => withManyParameters(file, 4));
  expect(found).toEqual([]);
});

test('no import cycles', () => {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: string[]) => {
    if (trail.includes(file))
      return void cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
    if (done.has(file)) return;
    for (const { to } of imports.filter(({ from }) => from === file)) visit(to, [...trail, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});
