import { afterAll, afterEach, beforeEach } from 'vitest';
import { beginTest, cleanUpFile, cleanUpTest } from './clean-up.js';

beforeEach(beginTest);
afterEach(cleanUpTest);
afterAll(cleanUpFile);
