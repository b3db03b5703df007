// How PostgreSQL carries out Nexus's claim, as its own log tells of a worker at work.
import { exercise } from './measure.mjs';

const JOB_COUNT = 5000;
const TABLES = ['jobs', 'job_queue'];

/** The scans in all plans of the statements that claim, and those of them that read a whole table. */
export async function claimScans(server, contender, template) {
  const name = await server.makeDatabase(template);
  for (const setting of [
    "session_preload_libraries = 'auto_explain'",
    'auto_explain.log_min_duration = 0',
    "auto_explain.log_format = 'json'",
  ]) {
    await server.admin.query(`alter database ${name} set ${setting}`);
  }
  const before = (await server.log()).length;
  await exercise(contender, server.connectionTo(name), JOB_COUNT);
  const plans = readPlans((await server.log()).slice(before)).filter(isClaim);
  await server.dropDatabase(name);
  if (plans.length === 0) throw new Error('The log of PostgreSQL tells of no claim.');

  const scans = [...new Set(plans.flatMap(({ Plan }) => scansIn(Plan)))].sort();
  return {
    plans: plans.length,
    scans,
    wholeTables: scans.filter((scan) => TABLES.some((table) => scan === `Seq Scan on ${table}`)),
  };
}

/** The log indents every line of a message but the first with a tab. */
function readPlans(log) {
  return [...log.matchAll(/duration: [\d.]+ ms {2}plan:\n((?:\t.*\n)+)/g)].map(([, json]) =>
    JSON.parse(json),
  );
}

/** Whatever it is called and however it is written: it takes rows of the queue that nobody else is taking. */
function isClaim(plan) {
  const text = plan['Query Text'].toLowerCase();
  return text.includes('job_queue') && text.includes('skip locked');
}

function scansIn(plan) {
  const scan = plan['Relation Name'] && plan['Node Type'].endsWith('Scan') ? [describeScan(plan)] : [];
  return [...scan, ...(plan.Plans ?? []).flatMap(scansIn)];
}

function describeScan(plan) {
  const index = plan['Index Name'] ? ` using ${plan['Index Name']}` : '';
  return `${plan['Node Type']} on ${plan['Relation Name']}${index}`;
}
