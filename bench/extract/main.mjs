// Measures the speed and memory of article extraction: Nexus against Readability on jsdom, with the same pages in one run.
// Nexus does more in its time: it also sanitises the article and extracts text, description and word count.
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { KINDS, makePage } from './pages.mjs';
import { measureWholePath } from './whole-path.mjs';

const SELF = fileURLToPath(import.meta.url);
const ROUNDS = 3;
const PAGES_PER_KIND = 20;
const WARM_UP = 5;
const URL_OF_PAGE = 'https://site.example/posts/1';

/** The target: the speed of the whole extraction in Nexus, relative to Readability on jsdom alone. */
const MIN_RATIO = 5;

const CONTENDERS = {
  async jsdom() {
    const { JSDOM } = await import('jsdom');
    const { Readability } = await import('@mozilla/readability');
    return (html) => {
      const { window } = new JSDOM(html, { url: URL_OF_PAGE });
      const { textContent } = new Readability(window.document).parse();
      window.close();
      return textContent;
    };
  },
  async nexus() {
    const { extractWebArticle } = await import('../../src/features/media/extractors/web-article.ts');
    return (html) =>
      extractWebArticle({
        type: 'web_article',
        bytes: Buffer.from(html),
        contentType: 'text/html; charset=utf-8',
        url: URL_OF_PAGE,
        imagePath: '/images?url=',
        assetPath: '/assets/',
      }).plain_text;
  },
};

async function measure(name) {
  const extract = await CONTENDERS[name]();
  const kinds = {};
  for (const [kind, transform] of Object.entries(KINDS)) {
    const pages = Array.from({ length: PAGES_PER_KIND }, (_, index) => transform(makePage(index)));
    for (const page of pages.slice(0, WARM_UP)) extract(page);
    let letters = 0;
    const begin = performance.now();
    for (const page of pages) letters += extract(page).replace(/\s/g, '').length;
    const seconds = (performance.now() - begin) / 1000;
    kinds[kind] = { seconds, letters, kilobytes: Buffer.byteLength(pages.join('')) / PAGES_PER_KIND / 1024 };
  }
  return { kinds, peak_memory_mb: process.resourceUsage().maxRSS / 1024 };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function compare() {
  const runs = Object.fromEntries(Object.keys(CONTENDERS).map((name) => [name, []]));
  // Each in its own process, in turns, so that other work on the machine affects all of them.
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of Object.keys(CONTENDERS)) {
      const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, SELF, name]);
      runs[name].push(JSON.parse(stdout));
    }
  }
  const seconds = (run, kind) =>
    kind ? run.kinds[kind].seconds : Object.values(run.kinds).reduce((sum, each) => sum + each.seconds, 0);
  /** Figures for the pages of one kind, or of all kinds. */
  const figures = (kind) => {
    const pages = PAGES_PER_KIND * (kind ? 1 : Object.keys(KINDS).length);
    const perSecond = (name) =>
      Number(median(runs[name].map((run) => pages / seconds(run, kind))).toFixed(1));
    const ratios = runs.nexus.map((run, round) => seconds(runs.jsdom[round], kind) / seconds(run, kind));
    return {
      nexus_pages_per_second: perSecond('nexus'),
      jsdom_pages_per_second: perSecond('jsdom'),
      times_faster: Number(median(ratios).toFixed(2)),
    };
  };
  const [{ kinds }] = runs.nexus;
  return {
    measured_on: { node: process.version, cpu: os.cpus()[0]?.model ?? '', cpus: os.cpus().length },
    rounds: ROUNDS,
    kinds: Object.fromEntries(
      Object.keys(KINDS).map((kind) => [
        kind,
        {
          pages: PAGES_PER_KIND,
          page_kilobytes: Math.round(kinds[kind].kilobytes),
          is_same_text: kinds[kind].letters === runs.jsdom[0].kinds[kind].letters,
          ...figures(kind),
        },
      ]),
    ),
    all: figures(),
    peak_memory_mb: {
      nexus: Math.round(median(runs.nexus.map((run) => run.peak_memory_mb))),
      jsdom: Math.round(median(runs.jsdom.map((run) => run.peak_memory_mb))),
    },
    least_times_faster: MIN_RATIO,
    whole_path: await measureWholePath(),
  };
}

const [contender] = process.argv.slice(2);
if (Object.hasOwn(CONTENDERS, contender ?? '')) {
  process.stdout.write(JSON.stringify(await measure(contender)));
} else {
  const result = await compare();
  const results = new URL('../results/', import.meta.url);
  await mkdir(results, { recursive: true });
  await writeFile(new URL('extract.json', results), `${JSON.stringify(result, null, 2)}\n`);
  const row = (name, { nexus_pages_per_second, jsdom_pages_per_second, times_faster }) =>
    `${name.padEnd(18)} ${String(nexus_pages_per_second).padStart(6)} ${String(jsdom_pages_per_second).padStart(6)} pages/s  ${String(times_faster).padStart(6)} ×\n`;
  process.stdout.write(
    `Nexus (whole extraction) and Readability on jsdom alone, median of ${ROUNDS} rounds in one thread:\n` +
      Object.entries(result.kinds)
        .map(([kind, figures]) => row(kind.replaceAll('_', ' '), figures))
        .join('') +
      row('all', result.all) +
      `Peak memory: ${result.peak_memory_mb.nexus} and ${result.peak_memory_mb.jsdom} MB. Target: ${MIN_RATIO} × for all.\n` +
      `From saving to readable, ${result.whole_path.pages} pages with one worker process: ${result.whole_path.pages_per_second} pages/s.\n`,
  );
  if (result.all.times_faster < MIN_RATIO) process.exitCode = 1;
}
