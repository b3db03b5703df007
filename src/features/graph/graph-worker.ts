import { serveTasks } from '../../platform/processes/serve-tasks.ts';
import { projectionWork } from './work.ts';

serveTasks(projectionWork);
