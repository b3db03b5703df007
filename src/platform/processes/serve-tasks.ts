import { Socket } from 'node:net';
import { createFrameReader, frameSize, writeFrame } from './frames.ts';
import { CHANNEL, type ChildLimits, type Reply, type Request } from './protocol.ts';
import type { ThrownError } from './stopped.ts';
import { startWatchdog } from './watchdog.ts';
import type { Work } from './work.ts';

/** The parent kills a process after its timeout. If it cannot, the watchdog does so after this additional time. */
const WATCHDOG_DELAY_MS = 5000;
const MAX_MESSAGE_LENGTH = 10_000;

/** The main loop of a process of a pool: runs one task after the other and sends a reply to each. */
export function serveTasks(work: Work): void {
  const limits: ChildLimits = JSON.parse(process.argv[2] ?? '{}');
  if (limits.parent === undefined) throw new Error('This module must run in a process of a pool.');
  const watchdog = startWatchdog(limits);
  // Ignores signals to the process group, for example from a terminal: the parent decides when this process ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

  const channel = new Socket({ fd: CHANNEL, readable: true, writable: true });
  const send = (reply: Reply) => {
    for (const part of encode(reply, limits.resultBytes)) channel.write(part);
  };
  const handle = async ({ name, input }: Request): Promise<Reply> => {
    watchdog.begin(limits.timeoutMs + WATCHDOG_DELAY_MS);
    try {
      const task = work[name];
      if (!task) throw new Error(`The task ${name} does not exist.`);
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
  // The parent has ended, or has closed the pool.
  channel.on('close', () => process.exit());
  channel.on('error', () => process.exit());
  send({ ready: true });
}

/** Encodes a reply. A result that cannot be serialised becomes an error of the task. */
function encode(reply: Reply, maxBytes: number): Buffer[] {
  try {
    const frame = writeFrame(reply);
    return frameSize(frame) > maxBytes ? writeFrame({ tooLarge: true }) : frame;
  } catch (error) {
    return writeFrame({ error: describe(error), rss: process.memoryUsage.rss() });
  }
}

function describe(error: unknown): ThrownError {
  const { name, message, stack, code } = error as Error & { code?: unknown };
  return {
    name: String(name),
    message: String(message).slice(0, MAX_MESSAGE_LENGTH),
    stack: stack?.slice(0, MAX_MESSAGE_LENGTH),
    code: typeof code === 'string' ? code : undefined,
  };
}
