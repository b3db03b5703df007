import { Socket } from 'node:net';
import { createFrameReader, frameSize, writeFrame } from './frames.ts';
import { CHANNEL, type ChildLimits, type Reply, type Request } from './protocol.ts';
import type { ThrownError } from './stopped.ts';
import { startWatchdog } from './watchdog.ts';
import type { Work } from './work.ts';

/** The parent kills a process whose time is over. The watchdog does so after this, if the parent cannot. */
const PARENT_FIRST_MS = 5000;
const LONGEST_MESSAGE = 10_000;

/** The main loop of a pool's process: runs one task after the other and answers each. */
export function serveTasks(work: Work): void {
  const limits: ChildLimits = JSON.parse(process.argv[2] ?? '{}');
  if (limits.parent === undefined) throw new Error('This module runs in a process of a pool.');
  const watchdog = startWatchdog(limits);
  // The parent decides when this process ends, also when a terminal or a supervisor signals the whole group.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

  const channel = new Socket({ fd: CHANNEL, readable: true, writable: true });
  const send = (reply: Reply) => {
    for (const part of encode(reply, limits.resultBytes)) channel.write(part);
  };
  const handle = async ({ name, input }: Request): Promise<Reply> => {
    watchdog.begin(limits.timeoutMs + PARENT_FIRST_MS);
    try {
      const task = work[name];
      if (!task) throw new Error(`There is no task ${name}.`);
      return { result: await task(input as never), rss: process.memoryUsage.rss() };
    } catch (error) {
      return { error: describe(error), rss: process.memoryUsage.rss() };
    } finally {
      watchdog.end();
    }
  };
  channel.on(
    'data',
    createFrameReader(Number.POSITIVE_INFINITY, (request) => void handle(request as Request).then(send)),
  );
  // The parent is gone, or has closed the pool.
  channel.on('close', () => process.exit());
  channel.on('error', () => process.exit());
  send({ ready: true });
}

/** A result that cannot be sent is an error of the task. */
function encode(reply: Reply, mostBytes: number): Buffer[] {
  try {
    const frame = writeFrame(reply);
    return frameSize(frame) > mostBytes ? writeFrame({ tooLarge: true }) : frame;
  } catch (error) {
    return writeFrame({ error: describe(error), rss: process.memoryUsage.rss() });
  }
}

function describe(error: unknown): ThrownError {
  const { name, message, stack, code } = error as Error & { code?: unknown };
  return {
    name: String(name),
    message: String(message).slice(0, LONGEST_MESSAGE),
    stack: stack?.slice(0, LONGEST_MESSAGE),
    code: typeof code === 'string' ? code : undefined,
  };
}
