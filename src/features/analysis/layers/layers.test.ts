import { describe, expect, test } from 'vitest';
import {
  ARGUMENT,
  CHAT,
  CONTRACT,
  HARBOUR,
  LETTER,
  SPEECH,
} from '../../../../test/support/fixtures/texts.ts';
import type { LayerName } from '../../../contract/analysis.ts';
import { runLayers } from '../layer-pipeline.ts';
import { joinFragments } from '../text.ts';

function read(layer: LayerName, text: string) {
  const { baselines } = runLayers(joinFragments([{ idx: 0, canonical_text: text }]), [layer]);
  const { output, confidence } = baselines[layer] ?? expect.fail('the layer was not read');
  /** Returns the findings of a kind: the label, and the text of its ranges. */
  const found = (kind: string) =>
    Object.fromEntries(
      output.findings
        .filter((finding) => finding.kind === kind)
        .map(({ label, spans }) => [label, spans.map(({ start, end }) => text.slice(start, end))]),
    );
  const counts = (kind: string) =>
    Object.fromEntries(
      output.findings.filter((one) => one.kind === kind).map(({ label, count }) => [label, count]),
    );
  return { ...output, confidence, found, counts };
}

describe('token', () => {
  test('counts words, sentences and paragraphs, and says how long they take to read', () => {
    const { measures } = read('token', HARBOUR);
    expect(measures).toMatchObject({ words: 65, sentences: 5, paragraphs: 2, reading_minutes: 1 });
    expect(read('token', `${HARBOUR}\n`.repeat(10)).measures).toMatchObject({
      words: 650,
      reading_minutes: 3,
    });
  });

  test('finds repeated words', () => {
    expect(read('token', HARBOUR).counts('frequent_word')).toMatchObject({ lamp: 3, keeper: 2, harbour: 2 });
    expect(read('token', HARBOUR).found('frequent_word').harbour).toEqual(['harbour', 'harbour']);
  });

  test('tells an easy text from a difficult one', () => {
    const [easy, hard] = [read('token', SPEECH).measures, read('token', CONTRACT).measures];
    expect(easy.reading_level).toBe('very easy');
    expect(hard.reading_level).toBe('very difficult');
    expect(Number(easy.grade_level)).toBeLessThan(4);
    expect(Number(hard.grade_level)).toBeGreaterThan(15);
  });
});

describe('morphology', () => {
  test('detects the tense of a text', () => {
    expect(read('morphology', HARBOUR).measures.main_tense).toBe('past');
    expect(read('morphology', ARGUMENT).measures.main_tense).toBe('present');
  });

  test('finds affixes and compounds', () => {
    expect(read('morphology', CONTRACT).found('derivation')['-tion']).toEqual([
      'obligation',
      'termination',
      'modification',
      'administration',
      'regulation',
      'organization',
    ]);
    expect(read('morphology', SPEECH).counts('derivation')).toMatchObject({ 're-': 3 });
    expect(read('morphology', ARGUMENT).found('comparison')).toEqual({ larger: ['larger'] });
  });

  test('returns the shares of parts of speech', () => {
    const { measures } = read('morphology', 'The readers saw the old books.');
    expect(measures).toMatchObject({ nouns_share: 0.333, verbs_share: 0.167, plural_share: 1 });
  });
});

describe('syntax', () => {
  test('finds passives and questions with their ranges', () => {
    expect(read('syntax', HARBOUR).found('passive')).toEqual({ 'be lit': ['was lit'] });
    expect(read('syntax', SPEECH).found('question').question).toEqual([
      'Is this not enough?',
      'Who would not wonder?',
    ]);
  });

  test.each([
    ['The dog sleeps.', 'simple_share'],
    ['The keeper was tired, and the dog was asleep.', 'compound_share'],
    ['The dog sleeps because the cat watches the door.', 'complex_share'],
    ['A quiet house.', 'fragmentary_share'],
  ])('%s is %s', (text, name) => {
    expect(read('syntax', text).measures[name]).toBe(1);
  });

  test('finds sentences that are hard to follow', () => {
    const long = `The keeper said ${'that the keeper before him had said '.repeat(6)}nothing.`;
    expect(read('syntax', `It rained. ${long}`).found('long_sentence')['more than 35 words']).toEqual([long]);
  });
});

describe('semantics', () => {
  test('finds names, dates and amounts', () => {
    const { found } = read('semantics', HARBOUR);
    expect(found('name')).toEqual({ 'Ada Lovelace': ['Ada Lovelace'], London: ['London'] });
    expect(found('entity')).toEqual({ '12 May 1843': ['12 May 1843'], $300: ['$300'] });
  });

  test('finds key phrases', () => {
    const text = 'The public library opened. A public library lends books. Every public library has rules.';
    expect(read('semantics', text).counts('key_phrase')).toEqual({ 'public library': 3 });
  });
});

describe('pragmatics', () => {
  test('distinguishes hedges, certainty, obligations and requests', () => {
    const { found, counts, measures } = read('pragmatics', LETTER);
    expect(counts('hedge')).toEqual({ perhaps: 1, might: 1, may: 1 });
    expect(found('certainty')).toEqual({ clearly: ['Clearly'] });
    expect(found('obligation')).toEqual({ must: ['must'] });
    expect(found('request').request).toEqual([
      'Could you please open the window?',
      'Please send the book in May.',
    ]);
    expect(measures).toMatchObject({ stance: 'cautious', promises: 1 });
  });
});

describe('discourse', () => {
  test('finds connectives and their relation', () => {
    const { found, measures } = read('discourse', ARGUMENT);
    expect(found('contrast')).toEqual({ however: ['However'] });
    expect(found('cause')).toEqual({ because: ['because'], therefore: ['Therefore'] });
    expect(found('sequence')).toEqual({ first: ['First'] });
    expect(found('example')).toEqual({ 'for example': ['For example'] });
    expect(found('conclusion')).toEqual({ 'in conclusion': ['In conclusion'] });
    expect(measures).toMatchObject({ markers: 6, contrast: 1, cause: 2 });
  });

  test('measures references to the previous sentence', () => {
    const bound = 'The keeper lit the lamp. The lamp warmed the keeper. The keeper slept.';
    const loose = 'The keeper lit a lamp. Prices rose in March. Horses eat grass.';
    expect(Number(read('discourse', bound).measures.cohesion)).toBeGreaterThan(0.5);
    expect(read('discourse', loose).measures.cohesion).toBe(0);
  });
});

describe('sociolinguistics', () => {
  test('distinguishes a chat from a contract', () => {
    expect(read('sociolinguistics', CHAT).measures).toMatchObject({
      register: 'informal',
      tone_name: 'positive',
    });
    expect(read('sociolinguistics', CONTRACT).measures.register).toBe('formal');
    expect(read('sociolinguistics', CHAT).found('informal')).toMatchObject({
      gonna: ['gonna'],
      yeah: ['Yeah'],
    });
    expect(read('sociolinguistics', CONTRACT).counts('formal')).toMatchObject({ shall: 2, thereof: 1 });
  });

  test('detects a negative tone', () => {
    const text = 'The food was terrible. I hate the awful noise. It is a horrible, ugly place.';
    expect(read('sociolinguistics', text).measures).toMatchObject({
      tone_name: 'negative',
      negative_sentences: 3,
    });
  });

  test('detects the variety of English', () => {
    expect(read('sociolinguistics', HARBOUR).measures.spelling).toBe('British');
    expect(read('sociolinguistics', 'The color of the theater is gray.').measures.spelling).toBe('American');
    expect(read('sociolinguistics', HARBOUR).found('british')).toEqual({
      harbour: ['harbour', 'harbour'],
      colour: ['colour'],
      grey: ['grey'],
    });
  });
});

describe('rhetoric', () => {
  test('finds figures with their ranges', () => {
    const { found } = read('rhetoric', SPEECH);
    expect(found('anaphora')['we will']).toEqual([
      'We will rebuild the house. We will rebuild the road. We will rebuild the bridge.',
    ]);
    expect(found('tricolon')).toEqual({ 'cold, dark, quiet': ['cold, dark, and quiet'] });
    expect(found('antithesis')).toEqual({ 'not … but': ['not for glory but for love'] });
    expect(found('simile')).toEqual({ 'as brave as': ['as brave as a lion'] });
    expect(found('alliteration')).toEqual({
      'peter piper picked pickled peppers': ['Peter Piper picked pickled peppers'],
    });
    expect(found('repetition')).toEqual({ run: ['Run, run, run'] });
    expect(found('epistrophe')).toEqual({ freedom: ['They came for freedom. They died for freedom.'] });
    expect(found('rhetorical_question')['rhetorical question']).toContain('Who would not wonder?');
  });

  test('finds none in a text without figures', () => {
    const text = 'The meeting starts at nine. Bring your own cup. Coffee will be served later.';
    expect(read('rhetoric', text)).toMatchObject({ measures: { figures: 0 }, findings: [] });
  });

  test('finds an anaphora across a chunk boundary', () => {
    const filler = `${'A man walked over that field one day. Nobody ever saw him. '.repeat(400)}\n`;
    const { found } = read('rhetoric', `${filler}We shall fight here. We shall fight there. ${filler}`);
    expect(found('anaphora')['we shall']).toEqual(['We shall fight here. We shall fight there.']);
  });
});

describe('semiotic', () => {
  test('finds recurring symbols and their field', () => {
    const { counts, findings, measures } = read('semiotic', HARBOUR);
    expect(counts('symbol')).toMatchObject({ lamp: 3, harbour: 2 });
    expect(findings.find(({ label }) => label === 'lamp')?.note).toBe('light');
    expect(measures.main_image).toBe('light');
  });

  test('finds signs that are not words', () => {
    const { counts, measures } = read('semiotic', 'STOP! 🎉🎉 "Really?" she said… #harbour @ada NEVER');
    expect(counts('emoji')).toEqual({ '🎉': 2 });
    expect(counts('emphasis')).toMatchObject({ STOP: 1, NEVER: 1 });
    expect(counts('tag')).toEqual({ '#harbour': 1, '@ada': 1 });
    expect(measures).toMatchObject({ emoji: 2, quotations: 1 });
  });
});
