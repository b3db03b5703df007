import { parentPort, type Transferable } from 'node:worker_threads';
import type { Outcome } from './pool.ts';

/** What a thread of a pool does: one task after the other, each answered with its outcome. */
export function serveTasks<Task, Result>(
  handle: (task: Task) => Promise<Result>,
  transferred: (result: Result) => Transferable[] = () => [],
): void {
  const port = parentPort;
  if (!port) throw new Error('This module runs in a thread of a pool.');
  // What a library has to say of a document belongs into no log.
  for (const stream of [process.stdout, process.stderr]) stream.write = () => true;
  const answer = (outcome: Outcome<Result>, transfer: Transferable[] = []) =>
    port.postMessage(outcome, transfer);
  port.on('message', (task: Task) => {
    handle(task).then(
      (result) => answer({ result }, transferred(result)),
      (error: Error & { code?: string }) => {
        const { name, message, stack, code } = error;
        answer({ error: { name, message, ...(stack ? { stack } : {}), ...(code ? { code } : {}) } });
      },
    );
  });
}
