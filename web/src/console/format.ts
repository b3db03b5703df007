const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration in at most two units. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return twoUnits(ms, [MINUTE, 'min'], [SECOND, 's']);
  if (ms < DAY) return twoUnits(ms, [HOUR, 'h'], [MINUTE, 'min']);
  return twoUnits(ms, [DAY, 'd'], [HOUR, 'h']);
}

type Unit = [ms: number, name: string];

function twoUnits(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const whole = Math.floor(ms / large);
  const rest = Math.floor((ms % large) / small);
  return rest === 0 ? `${whole} ${largeName}` : `${whole} ${largeName} ${rest} ${smallName}`;
}

/** A relative time in one unit: `5 min ago`, `in 3 h`. */
export function distance(ms: number): string {
  const size = Math.abs(ms);
  if (size < 5 * SECOND) return 'now';
  const text =
    size < MINUTE
      ? `${Math.round(size / SECOND)} s`
      : size < HOUR
        ? `${Math.round(size / MINUTE)} min`
        : size < DAY
          ? `${Math.round(size / HOUR)} h`
          : `${Math.round(size / DAY)} d`;
  return ms > 0 ? `${text} ago` : `in ${text}`;
}

/** The end of an id. Ids start with a timestamp, so their ends differ most. */
export const shortId = (id: string) => `…${id.slice(-8)}`;
