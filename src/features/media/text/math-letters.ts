/** The first code points of `A`, `a` and `0` in the mathematical alphabets of Unicode. */
const ALPHABETS: Record<string, [capital: number, small: number, digit?: number]> = {
  bold: [0x1d400, 0x1d41a, 0x1d7ce],
  italic: [0x1d434, 0x1d44e],
  'bold-italic': [0x1d468, 0x1d482],
  script: [0x1d49c, 0x1d4b6],
  'bold-script': [0x1d4d0, 0x1d4ea],
  fraktur: [0x1d504, 0x1d51e],
  'double-struck': [0x1d538, 0x1d552, 0x1d7d8],
  'bold-fraktur': [0x1d56c, 0x1d586],
  'sans-serif': [0x1d5a0, 0x1d5ba, 0x1d7e2],
  'bold-sans-serif': [0x1d5d4, 0x1d5ee, 0x1d7ec],
  'sans-serif-italic': [0x1d608, 0x1d622],
  'sans-serif-bold-italic': [0x1d63c, 0x1d656],
  monospace: [0x1d670, 0x1d68a, 0x1d7f6],
};

/** Letters that Unicode had before it got these alphabets. */
const EARLIER: Record<string, Record<string, string>> = {
  italic: { h: 'ℎ' },
  script: {
    B: 'ℬ',
    E: 'ℰ',
    F: 'ℱ',
    H: 'ℋ',
    I: 'ℐ',
    L: 'ℒ',
    M: 'ℳ',
    R: 'ℛ',
    e: 'ℯ',
    g: 'ℊ',
    o: 'ℴ',
  },
  fraktur: { C: 'ℭ', H: 'ℌ', I: 'ℑ', R: 'ℜ', Z: 'ℨ' },
  'double-struck': { C: 'ℂ', H: 'ℍ', N: 'ℕ', P: 'ℙ', Q: 'ℚ', R: 'ℝ', Z: 'ℤ' },
};

/** Writes letters in the alphabet of a `mathvariant`, which browsers support only as characters. */
export function styledLetters(text: string, variant: string | undefined): string {
  const alphabet = variant === undefined ? undefined : ALPHABETS[variant];
  // A single letter is italic by default.
  if (!alphabet || (variant === 'italic' && text.length === 1)) return text;
  const [capital, small, digit] = alphabet;
  const earlier = EARLIER[variant as string] ?? {};
  return text.replace(/[A-Za-z0-9]/g, (letter) => {
    const known = earlier[letter];
    if (known) return known;
    const code = letter.charCodeAt(0);
    if (code >= 0x61) return String.fromCodePoint(small + code - 0x61);
    if (code >= 0x41) return String.fromCodePoint(capital + code - 0x41);
    return digit === undefined ? letter : String.fromCodePoint(digit + code - 0x30);
  });
}

const STYLED = /[\u{1d400}-\u{1d6a3}\u{1d7ce}-\u{1d7ff}]/gu;

/** Writes styled letters as plain ones, as people search for them. Each alphabet has 52 letters or 10 digits. */
export function plainLetters(text: string): string {
  return text.replace(STYLED, (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    if (code >= 0x1d7ce) return String((code - 0x1d7ce) % 10);
    const index = (code - 0x1d400) % 52;
    return String.fromCharCode(index < 26 ? 0x41 + index : 0x61 + index - 26);
  });
}
