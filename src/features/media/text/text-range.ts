/** A range of a text, as `slice` takes it. */
export interface TextRange {
  start: number;
  end: number;
}
