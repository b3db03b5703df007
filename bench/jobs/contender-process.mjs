// One process of one contender, which enqueues or works as its parent asks. `processes.mjs` is the other side.
import { setTimeout as pause } from 'node:timers/promises';
import { now } from './clock.mjs';
import { CONTENDERS } from './contenders/index.mjs';

const [, , id] = process.argv;
const contender = CONTENDERS.find((candidate) => candidate.id === id);
let session;
let begunCount = 0;
const pickUpMs = [];

/** The handler of every job. It counts the job, and times it if the payload says when it was enqueued. */
function handle({ at }) {
  begunCount += 1;
  if (at !== undefined) pickUpMs.push(now() - at);
}

const commands = {
  async open({ connection }) {
    session = await contender.open(connection);
  },

  /** Seconds for all of them, in the contender's own bulk calls, one after the other. */
  async enqueueBulk({ count, options }) {
    const { bulkSize } = contender.settings;
    const begin = now();
    for (let done = 0; done < count; done += bulkSize) {
      const payloads = Array.from({ length: Math.min(bulkSize, count - done) }, (_, index) => ({
        number: done + index,
      }));
      await session.enqueueMany(payloads, options);
    }
    return (now() - begin) / 1000;
  },

  /** Milliseconds of each, one after the other. */
  async enqueueSingly({ count }) {
    const latencies = [];
    for (let number = 0; number < count; number++) {
      const begin = now();
      await session.enqueueOne({ number });
      latencies.push(now() - begin);
    }
    return latencies;
  },

  /** At irregular moments, so that they fall anywhere between two polls. */
  async enqueuePaced({ count }) {
    for (let number = 0; number < count; number++) {
      await pause(20 + Math.random() * 40);
      await session.enqueueOne({ at: now() });
    }
  },

  work: () => session.work(handle),
  begunCount: () => begunCount,
  pickUpMs: () => pickUpMs,
  close: () => session.close(),
};

process.on('message', async ({ command, args }) => {
  try {
    process.send({ answer: await commands[command](args) });
  } catch (error) {
    process.send({ error: error.stack });
  }
});
// Ends with its parent, whatever that one ended of.
process.on('disconnect', () => process.exit());
