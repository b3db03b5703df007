/** The tasks of a process by name: functions that take and return plain data and byte arrays. */
export type Work = Record<string, (input: never) => unknown>;

export interface RunOptions {
  signal?: AbortSignal | undefined;
}

/** Runs a task by name. */
export type Run<Tasks extends Work> = <Name extends keyof Tasks & string>(
  name: Name,
  input: Parameters<Tasks[Name]>[0],
  options?: RunOptions,
) => Promise<Awaited<ReturnType<Tasks[Name]>>>;
