import { branchWork } from '../features/branches/work.ts';
import { governanceWork } from '../features/governance/work.ts';
import { exportWork } from '../features/transfer/work.ts';

/** Work on texts that may be as long as a book: judging, exporting, editing and comparing them. */
export const textWork = { ...governanceWork, ...exportWork, ...branchWork };

export type TextWork = typeof textWork;
