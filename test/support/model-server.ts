import { text as readAll } from 'node:stream/consumers';
import { startSite } from './internet.ts';

/** The default answer of the model. */
const LAMP = {
  summary: 'A lamp burns.',
  findings: [{ kind: 'symbol', label: 'lamp', quote: 'lamp' }],
  confidence: 1,
};

/** Starts an endpoint with OpenAI's API. `env` configures Nexus to use it. */
export async function startModel() {
  let said = JSON.stringify(LAMP);
  const sent: string[] = [];
  const site = await startSite(async (request, response) => {
    if (request.method === 'POST') sent.push(await readAll(request));
    response.end(JSON.stringify({ choices: [{ message: { content: said } }] }));
  });
  return {
    /** Requests since the last call of `says`. */
    sent,
    says(answer: object = LAMP): void {
      said = JSON.stringify(answer);
      sent.length = 0;
    },
    env: {
      NEXUS_PLUGIN_ML_ENABLED: 'true',
      NEXUS_PLUGIN_ML_URL: `${site.url}/v1`,
      NEXUS_PLUGIN_ML_MODEL: 'small-model',
    },
  };
}
