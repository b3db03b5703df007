import { CommandError, type CommandErrorCode } from '../../contract/errors.ts';

export function backupError(code: CommandErrorCode, message: string, cause?: unknown): CommandError {
  return new CommandError(code, message, cause === undefined ? {} : { cause });
}

/** The error for a file that is not, or is no longer, what `nexus backup` wrote. */
export function damaged(detail: string, cause?: unknown): CommandError {
  return backupError('E_BACKUP_DAMAGED', `This file is not a complete, unaltered backup: ${detail}.`, cause);
}
