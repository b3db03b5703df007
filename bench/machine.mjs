// Reads from /proc how much CPU time processes and the whole machine have used. Works on Linux only.
import { readdir, readFile } from 'node:fs/promises';
import os from 'node:os';

/** Clock ticks per second of /proc; Linux has 100 on every platform that Node.js runs on. */
const TICKS = 100;
const SAMPLE_MS = 500;

/** Describes the machine, and how busy it is before the measurement. */
export function describeMachine() {
  return {
    cores: os.availableParallelism(),
    memory_gib: Math.round(os.totalmem() / 2 ** 30),
    platform: `${os.platform()} ${os.arch()}`,
    node: process.version,
    load_average_before: os.loadavg().map((value) => Number(value.toFixed(2))),
  };
}

/**
 * Returns the CPU seconds so far of each of these process trees, with children that have ended, of this process without its
 * children (`self`), and of the machine.
 */
export async function cpuSeconds(roots) {
  const [processes, machine] = await Promise.all([readProcesses(), busySeconds()]);
  const children = groupByParent(processes.values());
  const ofTree = (pid) => {
    const found = processes.get(pid);
    if (!found) throw new Error(`The process ${pid} has ended.`);
    return (children.get(pid) ?? []).reduce((sum, child) => sum + ofTree(child.pid), found.seconds);
  };
  const { user, system } = process.cpuUsage();
  const trees = { self: [(user + system) / 1e6] };
  for (const [name, pids] of Object.entries(roots)) trees[name] = pids.map(ofTree);
  return { trees, machine, at: performance.now() / 1000 };
}

/** Returns how many cores each process of each tree, and the rest of the machine, used between two readings. */
export function coresUsed(before, after) {
  const elapsed = after.at - before.at;
  const trees = Object.fromEntries(
    Object.entries(after.trees).map(([name, values]) => [
      name,
      values.map((value, index) => (value - before.trees[name][index]) / elapsed),
    ]),
  );
  const ours = Object.values(trees)
    .flat()
    .reduce((sum, value) => sum + value, 0);
  const machine = (after.machine - before.machine) / elapsed;
  return { trees, machine, others: Math.max(0, machine - ours), elapsed };
}

/**
 * Samples how many threads of other programs want to run, on average. That is more than the cores that they use when they
 * wait for each other. `stop` returns the average.
 */
export function watchOthers(roots) {
  const samples = [];
  const timer = setInterval(() => samples.push(countOthers(Object.values(roots).flat())), SAMPLE_MS);
  return {
    async stop() {
      clearInterval(timer);
      const counts = await Promise.all(samples);
      return counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length);
    },
  };
}

async function countOthers(roots) {
  const [processes, stat] = await Promise.all([readProcesses(), readFile('/proc/stat', 'utf8')]);
  const isOurs = ({ pid, parent }) =>
    pid === process.pid ||
    roots.includes(pid) ||
    (processes.has(parent) && parent !== process.pid && isOurs(processes.get(parent)));
  const ours = [...processes.values()].filter((found) => found.isRunnable && isOurs(found)).length;
  return Math.max(0, Number(/^procs_running (\d+)/m.exec(stat)[1]) - ours);
}

async function readProcesses() {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  // A process that ends meanwhile has handed its time to its parent.
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  const processes = new Map();
  for (const [index, stat] of stats.entries()) {
    if (stat === '') continue;
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const pid = Number(pids[index]);
    const ticks = fields.slice(11, 15).reduce((sum, value) => sum + Number(value), 0);
    processes.set(pid, {
      pid,
      parent: Number(fields[1]),
      isRunnable: fields[0] === 'R',
      seconds: ticks / TICKS,
    });
  }
  return processes;
}

function groupByParent(processes) {
  const groups = new Map();
  for (const found of processes) groups.set(found.parent, [...(groups.get(found.parent) ?? []), found]);
  return groups;
}

async function busySeconds() {
  const [line] = (await readFile('/proc/stat', 'utf8')).split('\n');
  const [user, nice, system, , , irq, softirq, steal] = line.split(/ +/).slice(1).map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS;
}
