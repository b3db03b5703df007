interface Problem {
  severity: string;
  problem: string;
}

export function lintWithRedocly(document: object): Promise<Problem[]>;
export function lintWithSpectral(document: object): Promise<Problem[]>;
export function generateTypes(document: object): Promise<string>;
export function generateClient(document: object, directory: string): Promise<void>;
