import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

const SECRETS = ['authorization', 'cookie', 'password', 'secret', 'key', 'key_hash', 'token'];

/** Creates a logger. Headers, bodies and queries are never logged; the redaction is a second safeguard. */
export function createLogger({ level, format }: { level: string; format: 'json' | 'pretty' }): Logger {
  const settings = {
    level,
    base: { app: 'nexus' },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' },
  };
  if (format === 'json') return pino(settings);
  return pino(settings, pretty({ sync: true, ignore: 'app,pid,hostname', translateTime: 'SYS:HH:MM:ss' }));
}
