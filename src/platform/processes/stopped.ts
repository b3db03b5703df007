/** Why a process was stopped before its task was done; `busy` and `closed` tasks were never started. */
export type StopReason = 'timeout' | 'memory' | 'output' | 'crash' | 'busy' | 'closed';

/** The pool stopped the process of a task, or refused the task. */
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

/** An error that a task threw in its process: its code, if it has one, its message and its stack. */
export class TaskFailed extends Error {
  readonly code: string | undefined;

  constructor({ name, message, stack, code }: ThrownError) {
    super(message);
    this.name = name;
    if (stack) this.stack = stack;
    this.code = code;
  }
}

/** The reasons that features answer with an error of their own. `failed` covers a crash and every unexpected error. */
export type TaskTrouble = 'timeout' | 'memory' | 'output' | 'failed';

/**
 * Classifies what `pool.run` rejected with. Undefined for what is no trouble of the task: an abort, a full queue, a
 * closed pool.
 */
export function taskTrouble(error: unknown): TaskTrouble | undefined {
  // A stack or a string that cannot grow any further.
  if (error instanceof TaskFailed) return error.name === 'RangeError' ? 'memory' : 'failed';
  if (!(error instanceof ProcessStopped)) return undefined;
  if (error.reason === 'crash') return 'failed';
  return error.reason === 'busy' || error.reason === 'closed' ? undefined : error.reason;
}
