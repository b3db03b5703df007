import { serveTasks } from '../../../platform/processes/serve-tasks.ts';
import { extractionWork } from './work.ts';

serveTasks(extractionWork);
