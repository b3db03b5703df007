/** The most characters of a highlighted passage. */
export const MAX_QUOTE = 20_000;
/** The most characters of a note, and of a person's own title. */
export const MAX_NOTE = 20_000;
export const MAX_TITLE = 500;
/** The most characters of a tag, and the most tags that a person gives one media. */
export const MAX_TAG = 64;
export const MOST_TAGS_OF_MEDIA = 100;
/** The most highlights of one imported entry. An item with more is given as several entries with the same link. */
export const MOST_HIGHLIGHTS = 1000;
/** The most characters of a reading position, as JSON. */
export const MAX_POSITION = 2048;
