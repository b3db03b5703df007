import { serveTasks } from '../../platform/processes/serve-tasks.ts';
import { analysisWork } from './work.ts';

serveTasks(analysisWork);
