import { LAYERS, type LayerName } from '../../../contract/analysis.ts';
import { discourse } from './discourse.ts';
import type { Layer } from './layer.ts';
import { morphology } from './morphology.ts';
import { pragmatics } from './pragmatics.ts';
import { rhetoric } from './rhetoric.ts';
import { semantics } from './semantics.ts';
import { semiotic } from './semiotic.ts';
import { sociolinguistics } from './sociolinguistics.ts';
import { syntax } from './syntax.ts';
import { token } from './token.ts';

const BY_NAME: Record<LayerName, Layer> = {
  token,
  morphology,
  syntax,
  semantics,
  pragmatics,
  discourse,
  sociolinguistics,
  rhetoric,
  semiotic,
};

/** Returns layers in the order of the contract. */
export function layersNamed(names: readonly LayerName[]): Layer[] {
  return LAYERS.filter((name) => names.includes(name)).map((name) => BY_NAME[name]);
}
