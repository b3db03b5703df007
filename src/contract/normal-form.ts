export type NormalForm = 'NFC' | 'NFD' | 'NFKC' | 'NFKD';

/** As many as Unicode's stream-safe format allows (UAX #15): no language writes more on one letter. */
const LONGEST_RUN = 30;

/**
 * `text.normalize(form)`, in linear time. Every normalisation in Nexus goes through here.
 *
 * JavaScript's own takes the square of the length of a run of combining marks, because it puts them in order by
 * insertion: 240 KB take up to 25 seconds, and nothing can interrupt it. Here long runs are put in order first, which
 * changes no result: texts and hashes that were stored before stay valid. Stream-safe text, with U+034F after every 30
 * marks, would change them.
 */
export function normalForm(text: string, form: NormalForm = 'NFC'): string {
  return sortLongRuns(text, form.startsWith('NFK') ? 'NFKD' : 'NFD').normalize(form);
}

type Decomposition = 'NFD' | 'NFKD';

/** No character before it joins a run. */
const FIRST_MARK = 0x300;

function sortLongRuns(text: string, decomposition: Decomposition): string {
  const joins = JOINS[decomposition];
  let result = '';
  let done = 0;
  let start = 0;
  let length = 0;
  const endRun = (end: number) => {
    if (length > LONGEST_RUN) {
      result += text.slice(done, start) + sortMarks(text.slice(start, end), decomposition);
      done = end;
    }
    length = 0;
  };
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const point = unit < FIRST_MARK ? unit : (text.codePointAt(at) ?? unit);
    if (point < FIRST_MARK || !joins(point)) {
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

/** The marks of a run, decomposed, in canonical order: by class, and within a class as they were. */
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

/** Marks of one canonical combining class. JavaScript does not tell the class, but how any two marks are ordered. */
interface CombiningClass {
  example: string;
  order: number;
}

/** In order; there are about fifty. */
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

/** Whether the class of one mark is lower: then they are swapped when they stand the other way round. */
function comesBefore(one: string, other: string): boolean {
  return one !== other && (other + one).normalize('NFD') === one + other;
}

const JOINS = { NFD: rememberJoining('NFD'), NFKD: rememberJoining('NFKD') };

/**
 * Whether a character continues a run, that is, whether its decomposition begins with a mark. U+0345 has the highest
 * class, so every other mark is moved before it.
 */
function rememberJoining(decomposition: Decomposition): (point: number) => boolean {
  const [UNKNOWN, JOINS_RUN, ENDS_RUN] = [0, 1, 2];
  let memory: Uint8Array | undefined;
  return (point) => {
    memory ??= new Uint8Array(0x110000);
    if (memory[point] === UNKNOWN) {
      const character = String.fromCodePoint(point);
      const isMoved = !`\u0345${character}`.normalize(decomposition).startsWith('\u0345');
      memory[point] = character === '\u0345' || isMoved ? JOINS_RUN : ENDS_RUN;
    }
    return memory[point] === JOINS_RUN;
  };
}
