import { afterAll, afterEach } from 'vitest';
import { cleanUpFile, cleanUpTest } from './clean-up.js';

afterEach(cleanUpTest);
afterAll(cleanUpFile);
