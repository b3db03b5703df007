import { serveTasks } from '../platform/processes/serve-tasks.ts';
import { textWork } from './text-work.ts';

serveTasks(textWork);
