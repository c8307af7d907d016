import { describe, expect, it, test } from 'vitest';
import { readRewriteAnswer } from './rewrite-answer.js';

const CODE = 'import shop\n\ndef test_a():\n    assert shop.a() == 1\n';
const block = (code: string, language = 'python') => `\`\`\`${language}\n${code}\`\`\``;

describe('an adapter’s answer', () => {
  test.each([
    ['a block', block(CODE)],
    ['a block with words around it', `Here it is:\n\n${block(CODE)}\n\nI renamed the import.`],
    ['a block of another name', block(CODE, 'py')],
    ['a block without a name', block(CODE, '')],
    ['the same block twice', `${block(CODE)}\n\n${block(CODE)}`],
    ['lines of Windows', block(CODE).replaceAll('\n', '\r\n')],
    ['no fence', CODE],
    ['a block beside one of another language', `${block('pip install shop\n', 'sh')}\n\n${block(CODE)}`],
    ['a block in a longer fence', `\`${block(CODE)}\``],
  ])('%s is a test', (_what, text) => {
    expect(readRewriteAnswer(text)).toEqual({ kind: 'test', code: CODE });
  });

  test.each([
    ['CANNOT: there is no discount', 'there is no discount'],
    ['**CANNOT**: there is no discount', 'there is no discount'],
    ['I looked.\nCANNOT: there is no discount', 'there is no discount'],
    ['**CANNOT**\n\nThere is no discount.', 'There is no discount.'],
    ['CANNOT', ''],
  ])('%s', (text, reason) => {
    expect(readRewriteAnswer(text)).toEqual({ kind: 'cannot', reason });
  });

  test.each([
    ['nothing', '', /empty/],
    ['prose', 'I would rather not.', /no block/],
    ['a cut block', '```python\nimport shop\n', /not closed/],
    ['an empty block', '```python\n\n```', /not closed or is empty/],
    ['two versions', `${block(CODE)}\nor\n${block('import shop\n')}`, /several/],
    ['a test and a refusal', `${block(CODE)}\nCANNOT: no discount`, /says that there can be none/],
    ['a book', 'x'.repeat(600_000), /too long/],
  ])('%s is not read', (_what, text, why) => {
    expect(readRewriteAnswer(text)).toEqual({ kind: 'unreadable', why: expect.stringMatching(why) as string });
  });

  it('reads a word in the code as code', () => {
    const code = 'def test_a():\n    # CANNOT be empty\n    assert 1\n';
    expect(readRewriteAnswer(block(code))).toEqual({ kind: 'test', code });
  });
});
