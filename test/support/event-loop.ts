/** The result of `work`, and the longest turn of the event loop meanwhile. */
export interface Watched<T> {
  result: T;
  /** CPU time of this process. Time in which it waits for a busy processor does not count. */
  longestTurnMs: number;
}

export async function watchEventLoop<T>(work: () => Promise<T>): Promise<Watched<T>> {
  let last = process.cpuUsage();
  let longestTurnMs = 0;
  const heart = setInterval(() => {
    const { user, system } = process.cpuUsage(last);
    longestTurnMs = Math.max(longestTurnMs, (user + system) / 1000);
    last = process.cpuUsage();
  }, 5);
  try {
    return { result: await work(), longestTurnMs };
  } finally {
    clearInterval(heart);
  }
}
