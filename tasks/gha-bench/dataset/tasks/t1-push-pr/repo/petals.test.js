import assert from 'node:assert/strict';
import { test } from 'node:test';
import { petals } from './petals.js';

test('five petals a flower', () => assert.equal(petals(3), 15));
