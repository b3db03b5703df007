// Measures the speed and memory of an analysis in all nine layers, from a thousand words to a million. Each size runs in
// its own process, after a warm-up, in turns. The cost per word is CPU time, so that other work on the machine affects the
// words per second but not the comparison.
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SELF = fileURLToPath(import.meta.url);
const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const ROUNDS = 3;
const WARM_UP_WORDS = 200_000;
/** Small texts are analysed repeatedly until this many words are reached. */
const MIN_WORDS = 200_000;

/** The target: the maximum cost of a word in the largest text, relative to the smallest. */
const MAX_GROWTH = 1.3;

/** Generates natural sentences without repetition. As in books, new words keep appearing. */
function makeText(words) {
  let state = 7;
  const below = (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
  const pick = (list) => list[below(list.length)];
  const nouns =
    'harbour lamp keeper window letter river library bridge garden teacher ship market storm road city'.split(
      ' ',
    );
  const verbs = 'opened carried found followed remembered built crossed described answered watched'.split(
    ' ',
  );
  const adjectives = 'old quiet narrow bright cold distant careful heavy green empty'.split(' ');
  const joints = ['However, ', 'Therefore ', 'For example, ', 'Perhaps ', 'In the end ', '', '', '', ''];
  const names = ['Ada Lovelace', 'London', 'Dr. Marie Curie', 'Peter', 'the University of Oslo'];
  const rare = () =>
    `${pick(['bel', 'tor', 'mar', 'quin', 'sel'])}${below(40_000).toString(36)}${pick(['ton', 'wick', 'ham'])}`;
  const noun = () => (below(25) === 0 ? rare() : pick(nouns));
  const sentence = () =>
    pick([
      () =>
        `${pick(joints)}the ${pick(adjectives)} ${noun()} ${pick(verbs)} the ${noun()} because ${pick(names)} was not there.`,
      () =>
        `It was ${pick(adjectives)}, ${pick(adjectives)}, and ${pick(adjectives)}; nobody ${pick(verbs)} the ${noun()} on ${1 + below(28)} May ${1800 + below(200)}.`,
      () => `We will not forget the ${noun()}, and we will not forget the ${noun()}.`,
      () => `Isn't the ${noun()} as ${pick(adjectives)} as a ${noun()}?`,
      () =>
        `The ${noun()} was ${pick(verbs)} by ${pick(names)} for $${below(900)} in the ${pick(adjectives)} ${noun()}.`,
    ])();
  const parts = [];
  for (let count = 0; count < words; ) {
    const next = sentence();
    count += next.split(' ').length;
    parts.push(next, below(6) === 0 ? '\n' : ' ');
  }
  return parts.join('');
}

async function measure(size) {
  const { runLayers } = await import('../src/features/analysis/layer-pipeline.ts');
  const { joinFragments } = await import('../src/features/analysis/text.ts');
  const { LAYERS } = await import('../src/contract/analysis.ts');
  const read = (text) => runLayers(joinFragments([{ idx: 0, canonical_text: text }]), LAYERS).word_count;
  read(makeText(WARM_UP_WORDS));
  const text = makeText(size);
  let words = 0;
  const begin = performance.now();
  const before = process.cpuUsage();
  while (words < MIN_WORDS) words += read(text);
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(before);
  return {
    words,
    seconds,
    cpu_microseconds: user + system,
    peak_memory_mb: process.resourceUsage().maxRSS / 1024,
  };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function compare() {
  const runs = Object.fromEntries(SIZES.map((size) => [size, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const size of SIZES) {
      const { stdout } = await promisify(execFile)(process.execPath, [
        ...process.execArgv,
        SELF,
        String(size),
      ]);
      runs[size].push(JSON.parse(stdout));
    }
  }
  const cost = ({ words, cpu_microseconds }) => cpu_microseconds / words;
  const sizes = SIZES.map((size) => ({
    words: size,
    words_per_second: Math.round(median(runs[size].map(({ words, seconds }) => words / seconds))),
    cpu_microseconds_per_word: Number(median(runs[size].map(cost)).toFixed(2)),
    peak_memory_mb: Math.round(median(runs[size].map(({ peak_memory_mb }) => peak_memory_mb))),
  }));
  const [first, last] = [SIZES[0], SIZES.at(-1)];
  const growth = median(runs[last].map((run, round) => cost(run) / cost(runs[first][round])));
  return {
    measured_on: { node: process.version, cpu: os.cpus()[0]?.model ?? '', cpus: os.cpus().length },
    rounds: ROUNDS,
    layers: 9,
    sizes,
    growth_per_word: Number(growth.toFixed(2)),
    most_growth_per_word: MAX_GROWTH,
  };
}

const [size] = process.argv.slice(2);
if (SIZES.includes(Number(size))) {
  process.stdout.write(JSON.stringify(await measure(Number(size))));
} else {
  const result = await compare();
  const results = new URL('results/', import.meta.url);
  await mkdir(results, { recursive: true });
  await writeFile(new URL('analyze.json', results), `${JSON.stringify(result, null, 2)}\n`);
  process.stdout.write(
    `All nine layers in one thread, median of ${ROUNDS} rounds:\n` +
      result.sizes
        .map(
          ({ words, words_per_second, cpu_microseconds_per_word, peak_memory_mb }) =>
            `${String(words).padStart(9)} words ${String(words_per_second).padStart(8)} words/s ${String(cpu_microseconds_per_word).padStart(6)} µs of CPU time per word ${String(peak_memory_mb).padStart(5)} MB\n`,
        )
        .join('') +
      `A word costs ${result.growth_per_word} times as much in a million words as in a thousand. Target: at most ${MAX_GROWTH}.\n`,
  );
  if (result.growth_per_word > MAX_GROWTH) process.exitCode = 1;
}
