/** Why a task did not finish. With `start`, `busy` and `closed`, it was never started. */
type StopReason = 'timeout' | 'memory' | 'output' | 'crash' | 'start' | 'busy' | 'closed';

/** The process of a task ended or was killed, or the pool refused the task. */
export class ProcessStopped extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProcessStopped';
    this.reason = reason;
  }
}

export interface ThrownError {
  name: string;
  message: string;
  stack?: string | undefined;
  code?: string | undefined;
}

/** An error that a task threw in its process. */
export class TaskFailed extends Error {
  readonly code: string | undefined;

  constructor({ name, message, stack, code }: ThrownError) {
    super(message);
    this.name = name;
    if (stack) this.stack = stack;
    this.code = code;
  }
}

/** The causes for which features have error messages. `failed` is a crash or an unexpected error. */
export type FailureCause = 'timeout' | 'memory' | 'output' | 'failed';

const CAUSES: Partial<Record<StopReason, FailureCause>> = {
  timeout: 'timeout',
  memory: 'memory',
  output: 'output',
  crash: 'failed',
};

/**
 * Classifies an error of `pool.run`. Undefined when the task is not the cause: an abort, a process that could not be started,
 * a full queue, a closed pool.
 */
export function failureCause(error: unknown): FailureCause | undefined {
  // A RangeError means that the stack or a string reached its maximum size.
  if (error instanceof TaskFailed) return error.name === 'RangeError' ? 'memory' : 'failed';
  return error instanceof ProcessStopped ? CAUSES[error.reason] : undefined;
}
