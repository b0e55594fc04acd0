/** V8's own. */
const USUAL_GROWTH = 2;

/** By how much V8's space for new objects grows at a time: 1 keeps it as it is. */
export function growNewSpaceBy(factor: number): void {
  // Every start loads this file, and few need V8's own module.
  process.getBuiltinModule('node:v8').setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

export const growNewSpaceAsUsual = (): void => growNewSpaceBy(USUAL_GROWTH);
