import type { ThrownError } from './stopped.ts';

/** The file descriptor of the socket between a process and its pool. */
export const CHANNEL = 3;

/** The limits of a process, passed as its only argument. */
export interface ChildLimits {
  parent: number;
  timeoutMs: number;
  memoryBytes: number;
  resultBytes: number;
}

export interface Request {
  name: string;
  input: unknown;
}

/** `rss` is the resident memory after the task. */
export type Reply =
  | { ready: true }
  | { tooLarge: true }
  | { result: unknown; rss: number }
  | { error: ThrownError; rss: number };
