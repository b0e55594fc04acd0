const scale = Number(process.env['PAYDESK_PROOF_SCALE'] ?? 1);

/** A size of the proof, scaled down where PAYDESK_PROOF_SCALE says so. */
export function scaled(size: number): number {
  return Math.max(1, Math.round(size * scale));
}

/** Another one for each proof: what it finds is printed with it, and is found again under it. */
export const proofSeed = Number(
  process.env['PAYDESK_PROOF_SEED'] ?? Math.floor(Date.now() / 1000) % 1_000_000,
);
