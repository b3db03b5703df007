import { A, B, mark, SAVED, testImportedFiles } from '../../../../test/support/imported-files.ts';

testImportedFiles({
  Hypothesis: {
    content: JSON.stringify({
      export_date: '2024-03-02T00:00:00.000Z',
      export_userid: 'acct:ana@hypothes.is',
      client_version: '1.1',
      annotations: [
        {
          id: 'first',
          uri: A,
          text: 'Why',
          tags: ['x'],
          created: '2024-03-01T12:00:00Z',
          document: { title: ['A'] },
          target: [
            {
              source: A,
              selector: [
                { type: 'RangeSelector' },
                { type: 'TextPositionSelector', start: 5, end: 8 },
                { type: 'TextQuoteSelector', exact: 'One', prefix: 'before ', suffix: ' after' },
              ],
            },
          ],
        },
        {
          id: 'reply',
          references: ['first', 'another'],
          uri: A,
          text: 'Because',
          tags: [],
          created: '2024-03-01T13:00:00Z',
          target: [{ source: A }],
        },
        {
          uri: B,
          text: 'A note on the page',
          tags: [],
          created: '2024-03-01T12:00:00Z',
          target: [{ source: B }],
        },
      ],
    }),
    format: 'Hypothesis',
    entries: [
      {
        url: A,
        title: 'A',
        savedAt: SAVED,
        tags: ['x'],
        highlights: [
          {
            target: {
              selector: [{ type: 'TextQuoteSelector', exact: 'One', prefix: 'before ', suffix: ' after' }],
            },
            note: 'Why\n\nBecause',
          },
        ],
      },
      { url: B, note: 'A note on the page', highlights: undefined },
    ],
  },
  'Web Annotations': {
    content: JSON.stringify({
      '@context': 'http://www.w3.org/ns/anno.jsonld',
      type: 'AnnotationPage',
      items: [
        {
          type: 'Annotation',
          created: '2024-03-01T12:00:00Z',
          body: [{ type: 'TextualBody', value: 'Why', purpose: 'commenting' }],
          target: { source: A, styleClass: 'green', selector: { type: 'TextQuoteSelector', exact: 'One' } },
        },
        {
          type: 'Annotation',
          body: [
            { value: 'x', purpose: 'tagging' },
            { value: 'A note', purpose: 'commenting' },
          ],
          target: B,
        },
      ],
    }),
    format: 'Web Annotations',
    entries: [
      { url: A, highlights: [mark('One', { note: 'Why', color: 'green' })] },
      { url: B, tags: ['x'], note: 'A note' },
    ],
  },
});
