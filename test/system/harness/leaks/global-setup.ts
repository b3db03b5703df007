import type { TestProject } from 'vitest/node';

/** Uses the PostgreSQL of the run that started this one. */
export default function setup(project: TestProject): void {
  project.provide('server', JSON.parse(process.env.SERVER ?? ''));
  project.provide('runDir', process.env.RUN_DIR ?? '');
}
