import type { Feature } from '../features/feature.ts';

/** Features that have been created so far, and the services of all of them. */
interface FoldedFeatures<Platform extends object, Services extends object> {
  features: Feature[];
  services: Services;
  /** Creates the next feature. It takes any part of the platform and of the services of the features before it. */
  add<Next extends Feature>(
    create: (given: Platform & Services) => Next,
  ): FoldedFeatures<Platform, Services & ServicesOf<Next>>;
}

type ServicesOf<F extends Feature> = F extends { services: infer Services extends object }
  ? Services
  : object;

/** Begins the list of features: each is created once, with what the ones before it provide, and the compiler checks it. */
export function foldFeatures<Platform extends object>(platform: Platform): FoldedFeatures<Platform, object> {
  return folded(platform, [], {});
}

function folded<Platform extends object, Services extends object>(
  platform: Platform,
  features: Feature[],
  services: Services,
): FoldedFeatures<Platform, Services> {
  return {
    features,
    services,
    add<Next extends Feature>(create: (given: Platform & Services) => Next) {
      const next = create({ ...platform, ...services });
      for (const name of Object.keys(next.services ?? {})) {
        if (name in platform || name in services)
          throw new Error(`The feature ${next.name} provides ${name}, which there is already.`);
      }
      const all = { ...services, ...next.services } as Services & ServicesOf<Next>;
      return folded(platform, [...features, next], all);
    },
  };
}
