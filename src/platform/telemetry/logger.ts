import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

export interface LogOptions {
  level: string;
  format: 'json' | 'pretty';
}

/**
 * Structured logs on standard output. What may carry a secret is never handed to the logger in the first place
 * (no headers, no bodies, no query strings); the redaction below is the second net.
 */
export function createLogger({ level, format }: LogOptions): Logger {
  const settings = {
    level,
    base: { app: 'nexus' },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['authorization', 'cookie', 'password', 'secret', 'key', 'key_hash', 'token'].flatMap((name) => [
        name,
        `*.${name}`,
      ]),
      censor: '[hidden]',
    },
  };
  if (format === 'json') return pino(settings);
  return pino(settings, pretty({ sync: true, ignore: 'app,pid,hostname', translateTime: 'SYS:HH:MM:ss' }));
}
