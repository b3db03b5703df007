type NormalForm = 'NFC' | 'NFD' | 'NFKC' | 'NFKD';

/** The limit of Unicode's stream-safe text format (UAX #15). No language writes more marks on one letter. */
const MAX_UNSORTED_RUN = 30;

/**
 * Returns `text.normalize(form)` in linear time. All code in Nexus normalises text with this function.
 *
 * JavaScript's `normalize` takes quadratic time for a run of combining marks, because it sorts them by insertion: 240 KB
 * take up to 25 seconds and block the thread. This function sorts long runs first, so the result stays the same and
 * stored texts and hashes stay valid. Stream-safe text, which has U+034F after every 30 marks, would change them.
 */
export function normalForm(text: string, form: NormalForm = 'NFC'): string {
  return sortLongRuns(text, form.startsWith('NFK') ? 'NFKD' : 'NFD').normalize(form);
}

type Decomposition = 'NFD' | 'NFKD';

/** No character below this code point can be part of a run. */
const FIRST_MARK = 0x300;

function sortLongRuns(text: string, decomposition: Decomposition): string {
  const isMark = IS_MARK[decomposition];
  let result = '';
  let done = 0;
  let start = 0;
  let length = 0;
  const endRun = (end: number) => {
    if (length > MAX_UNSORTED_RUN) {
      result += text.slice(done, start) + sortMarks(text.slice(start, end), decomposition);
      done = end;
    }
    length = 0;
  };
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const point = unit < FIRST_MARK ? unit : (text.codePointAt(at) ?? unit);
    if (point < FIRST_MARK || !isMark(point)) {
      if (length > 0) endRun(at);
    } else {
      if (length === 0) start = at;
      length += 1;
    }
    if (point > 0xffff) at += 1;
  }
  endRun(text.length);
  return done === 0 ? text : result + text.slice(done);
}

/** Returns the decomposed marks of a run in canonical order: sorted by combining class, stable within a class. */
function sortMarks(run: string, decomposition: Decomposition): string {
  const byClass = new Map<CombiningClass, string[]>();
  for (const character of run) {
    for (const mark of character.normalize(decomposition)) {
      const combiningClass = classOf(mark);
      const marks = byClass.get(combiningClass);
      if (marks) marks.push(mark);
      else byClass.set(combiningClass, [mark]);
    }
  }
  return [...byClass]
    .sort(([a], [b]) => a.order - b.order)
    .map(([, marks]) => marks.join(''))
    .join('');
}

/** A canonical combining class. JavaScript does not expose the class of a mark, only the order of any two marks. */
interface CombiningClass {
  example: string;
  order: number;
}

/** The classes found so far, sorted. There are about fifty. */
const classes: CombiningClass[] = [];
const known = new Map<string, CombiningClass>();

function classOf(mark: string): CombiningClass {
  const found = known.get(mark) ?? findClass(mark);
  known.set(mark, found);
  return found;
}

function findClass(mark: string): CombiningClass {
  const at = classes.findIndex(({ example }) => !comesBefore(example, mark));
  const next = classes[at];
  if (next && !comesBefore(mark, next.example)) return next;
  const added = { example: mark, order: 0 };
  classes.splice(at < 0 ? classes.length : at, 0, added);
  for (const [order, each] of classes.entries()) each.order = order;
  return added;
}

/** Whether the first mark has the lower class: then `normalize` swaps the two when they are in the wrong order. */
function comesBefore(one: string, other: string): boolean {
  return one !== other && (other + one).normalize('NFD') === one + other;
}

const IS_MARK = { NFD: cachedIsMark('NFD'), NFKD: cachedIsMark('NFKD') };

/**
 * Returns a cached test of whether a code point's decomposition begins with a combining mark. U+0345 has the highest
 * class, so `normalize` moves every other mark before it.
 */
function cachedIsMark(decomposition: Decomposition): (point: number) => boolean {
  const [UNKNOWN, MARK, NO_MARK] = [0, 1, 2];
  let cache: Uint8Array | undefined;
  return (point) => {
    cache ??= new Uint8Array(0x110000);
    if (cache[point] === UNKNOWN) {
      const character = String.fromCodePoint(point);
      const isMoved = !`\u0345${character}`.normalize(decomposition).startsWith('\u0345');
      cache[point] = character === '\u0345' || isMoved ? MARK : NO_MARK;
    }
    return cache[point] === MARK;
  };
}
