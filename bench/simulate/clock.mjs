// Simulated time: events in the order of their time.

/** Returns a clock. `at` schedules a call, `run` makes all calls up to a time; both are in milliseconds. */
export function createClock() {
  const heap = createHeap((a, b) => a.time - b.time || a.order - b.order);
  let now = 0;
  let scheduled = 0;
  return {
    now: () => now,
    at(time, call) {
      heap.push({ time: Math.max(time, now), order: scheduled++, call });
    },
    run(until = Number.POSITIVE_INFINITY) {
      while (heap.size() > 0 && heap.peek().time <= until) {
        const { time, call } = heap.pop();
        now = time;
        call();
      }
    },
  };
}

/** A binary heap: `pop` returns the smallest value. */
export function createHeap(compare) {
  const values = [];
  return {
    size: () => values.length,
    peek: () => values[0],
    push(value) {
      let index = values.push(value) - 1;
      while (index > 0) {
        const parent = (index - 1) >> 1;
        if (compare(values[parent], value) <= 0) break;
        values[index] = values[parent];
        index = parent;
      }
      values[index] = value;
    },
    pop() {
      const [top] = values;
      const last = values.pop();
      if (values.length === 0) return top;
      let index = 0;
      for (;;) {
        let child = 2 * index + 1;
        if (child >= values.length) break;
        if (child + 1 < values.length && compare(values[child + 1], values[child]) < 0) child += 1;
        if (compare(last, values[child]) <= 0) break;
        values[index] = values[child];
        index = child;
      }
      values[index] = last;
      return top;
    },
  };
}
