import { serveTasks } from '../../../platform/threads/serve-tasks.ts';
import { canonicalText } from '../canonical-text.ts';
import { type EpubTask, extractEpub } from './epub.ts';
import type { Extraction, Fragment } from './extraction.ts';
import { extractPdf, type PdfExtraction, type PdfTask } from './pdf.ts';
import { extractWebArticle, type WebArticleExtraction, type WebArticleTask } from './web-article.ts';
import {
  readPlayer,
  readTranscript,
  type YouTubePlayer,
  type YouTubePlayerTask,
  type YouTubeTranscriptTask,
} from './youtube.ts';

/** What can be asked of a thread, and what it answers with. */
export interface Work {
  web_article: { task: WebArticleTask; result: WebArticleExtraction };
  pdf: { task: PdfTask; result: PdfExtraction };
  epub: { task: EpubTask; result: Extraction };
  youtube_player: { task: YouTubePlayerTask; result: YouTubePlayer };
  youtube_transcript: { task: YouTubeTranscriptTask; result: Fragment[] };
  canonical_texts: { task: CanonicalTextsTask; result: string[] };
}

/** The texts of HTML that was extracted before. */
export interface CanonicalTextsTask {
  type: 'canonical_texts';
  html: string[];
}

export type Task = Work[keyof Work]['task'];
export type Result = Work[keyof Work]['result'];

serveTasks<Task, Result>(
  async (task) => {
    switch (task.type) {
      case 'web_article':
        return extractWebArticle(task);
      case 'pdf':
        return extractPdf(task);
      case 'epub':
        return extractEpub(task);
      case 'youtube_player':
        return readPlayer(task);
      case 'youtube_transcript':
        return readTranscript(task);
      case 'canonical_texts':
        return task.html.map(canonicalText);
    }
  },
  (result) => ('assets' in result ? result.assets.map(({ bytes }) => bytes.buffer as ArrayBuffer) : []),
);
