import { everySoOften } from '../features/backup/scheduled-backups.ts';
import type { Progress } from '../platform/backup/make-backup.ts';

const TERMINAL_MS = 200;
const LOG_MS = 10_000;
const DOES = {
  tables: 'Reading tables',
  files: 'Reading files',
  verifying: 'Verifying',
  loading: 'Restoring',
};

/** Shows on standard error how far a backup is: in one line on a terminal, else in a line now and then. */
export function createProgressLine() {
  const { stderr } = process;
  let isShown = false;
  return {
    show: everySoOften(stderr.isTTY ? TERMINAL_MS : LOG_MS, (progress) => {
      stderr.write(stderr.isTTY ? `\r\x1b[K${sentence(progress)}` : `${sentence(progress)}\n`);
      isShown = true;
    }),
    clear(): void {
      if (isShown && stderr.isTTY) stderr.write('\r\x1b[K');
    },
  };
}

function sentence({ doing, table, rows, files, files_total, bytes }: Progress): string {
  const place = doing === 'tables' && table ? ` (${table})` : '';
  const of = files_total === undefined ? '' : ` of ${files_total.toLocaleString('en')}`;
  return `${DOES[doing]}${place}: ${rows.toLocaleString('en')} rows, ${files.toLocaleString('en')}${of} files, ${size(bytes)}`;
}

export function size(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power]}`;
}
