// SHA-256 for file names and fingerprints. A refund needs a handful of them, and to load node:crypto for that takes 7 ms of
// its 150.

/** From the square roots of the first 8 primes, and from the cube roots of the first 64. */
const START = wordsOf(`6a09e667 bb67ae85 3c6ef372 a54ff53a 510e527f 9b05688c 1f83d9ab 5be0cd19`);
const STEPS = wordsOf(`
  428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5
  d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174
  e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da
  983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967
  27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85
  a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070
  19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3
  748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2
`);

const BLOCK_BYTES = 64;
const words = new Int32Array(64);

/** As 64 hexadecimal digits. */
export function sha256(text: string): string {
  const bytes = Buffer.from(text);
  const padded = Buffer.alloc((Math.floor((bytes.length + 8) / BLOCK_BYTES) + 1) * BLOCK_BYTES);
  bytes.copy(padded);
  padded[bytes.length] = 0x80;
  padded.writeUIntBE(bytes.length * 8, padded.length - 6, 6);
  const state = Int32Array.from(START);
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) addBlock(state, padded, at);
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

function addBlock(state: Int32Array, bytes: Buffer, at: number): void {
  for (let step = 0; step < 16; step += 1) words[step] = bytes.readInt32BE(at + 4 * step);
  for (let step = 16; step < 64; step += 1) {
    const early = words[step - 15]!;
    const late = words[step - 2]!;
    const one = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const two = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[step] = words[step - 16]! + one + words[step - 7]! + two;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let step = 0; step < 64; step += 1) {
    const chosen = (e & f) ^ (~e & g);
    const most = (a & b) ^ (a & c) ^ (b & c);
    const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + chosen + STEPS[step]! + words[step]!;
    const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + most;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

function wordsOf(hex: string): Int32Array {
  return Int32Array.from(hex.trim().split(/\s+/), (word) => Number.parseInt(word, 16));
}

const turn = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));
