import { describe, expect, it } from 'vitest';
import { decideFinally, decideFirstRound, type Answer } from './vote-rules.js';

const said = (letters: string): Answer[] =>
  [...letters].map((letter) => ({ y: 'yes', n: 'no', p: 'partial', a: 'abstain' })[letter] as Answer);

describe('round 1', () => {
  it.each([
    ['yyy', { accepted: true, lenient: true, confidence: 'high' }],
    ['yyn', { accepted: true, lenient: true, confidence: 'medium' }],
    ['yay', { accepted: true, lenient: true, confidence: 'medium' }],
    ['nny', { accepted: false, lenient: false, confidence: 'medium' }],
    ['ppy', { accepted: false, lenient: true, confidence: 'medium' }],
    ['ypn', null],
    ['yaa', null],
    ['yayan', { accepted: true, lenient: true, confidence: 'medium' }],
    ['ya', null],
    ['aaa', null],
    ['y', { accepted: true, lenient: true, confidence: 'high' }],
  ])('%s', (letters, decision) => {
    expect(decideFirstRound(said(letters))).toEqual(decision);
  });
});

describe('round 2, over all six', () => {
  it.each([
    ['ypnyyy', true, true],
    ['ypnyyn', false, true],
    ['ypnyny', false, true],
    ['ypnnnn', false, false],
    ['yaayya', true, true],
    ['yaanna', false, false],
    ['yaanaa', false, false],
    ['paayaa', false, true],
    ['yaayyy', true, true],
    ['ypnppp', false, true],
  ])('%s', (letters, accepted, lenient) => {
    expect(decideFinally(said(letters))).toEqual({ accepted, lenient, confidence: 'low' });
  });

  it('is no decision where everybody abstained', () => {
    expect(decideFinally(said('aaaaaa'))).toBeNull();
  });
});
