import { branchWork } from '../features/branches/work.ts';
import { governanceWork } from '../features/governance/work.ts';
import { highlightWork } from '../features/highlights/work.ts';
import { searchWork } from '../features/media/search/work.ts';
import { exportWork } from '../features/transfer/work.ts';

/**
 * Tasks on texts that may be as long as a book: judging, exporting, editing, comparing and searching them, and finding passages in them. Child processes import
 * this file, and with it the tasks alone. Taking them from the features' contributions would load all of Nexus there.
 */
export const textWork = { ...governanceWork, ...exportWork, ...branchWork, ...searchWork, ...highlightWork };

export type TextWork = typeof textWork;
