import { nexus } from './jobs/contenders/nexus.mjs';
import { startServer } from './jobs/server.mjs';
import { measureThroughput } from './jobs/measure.mjs';
import { execSync, spawn } from 'node:child_process';
const n = Number(process.argv[2] ?? 200000), runs = Number(process.argv[3] ?? 3);
const { graphileBatched } = process.argv[4] ? await import('./jobs/contenders/graphile.mjs').catch(() => ({})) : {};
const server = await startServer();
try {
  await server.makeTemplate('t_nexus', nexus.install);
  for (let i = 0; i < runs; i++) console.log(await measureThroughput(server, nexus, { template: 't_nexus', jobCount: n }));
} finally { const { endProcesses } = await import('./jobs/processes.mjs'); await endProcesses(); await server.stop(); }
process.exit(0);
