import { parseArgs } from 'node:util';
import { CONTENDERS } from './contenders/index.mjs';

const FULL = {
  runs: 3,
  jobs: 200_000,
  finished: 1_000_000,
  delayed: 100_000,
  singleEnqueues: 1000,
  pickUps: 1000,
};
/** To see that everything works, not to compare. */
const QUICK = {
  runs: 1,
  jobs: 10_000,
  finished: 50_000,
  delayed: 20_000,
  singleEnqueues: 200,
  pickUps: 100,
};

/** Returns the measurements of a run, and their sizes. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string' },
      jobs: { type: 'string' },
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const sizes = values.quick ? QUICK : FULL;
  return {
    ...sizes,
    runs: values.runs ? wholeNumber('--runs', values.runs) : sizes.runs,
    jobs: values.jobs ? wholeNumber('--jobs', values.jobs) : sizes.jobs,
    contenders: values.only ? chosen(values.only.split(',')) : CONTENDERS,
    /** Whether the figures are those that the project goes by. */
    isComplete: !values.quick && !values.only && !values.jobs,
  };
}

function wholeNumber(flag, text) {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${flag} takes a whole number from 1.`);
  return number;
}

function chosen(ids) {
  const known = CONTENDERS.map(({ id }) => id);
  const unknown = ids.filter((id) => !known.includes(id));
  if (unknown.length > 0)
    throw new Error(`--only takes some of ${known.join(', ')}; not ${unknown.join(', ')}.`);
  return CONTENDERS.filter(({ id }) => ids.includes(id));
}
