import { causeOf, codeOf, hangupCauses, isHangupCause, q850Of } from './hangup-cause';

test('every cause is found by its number', () => {
  for (const [name, number] of Object.entries(hangupCauses)) {
    expect(causeOf(number, { answered: false })).toBe(name);
  }
});

test('the code is the number as text', () => {
  expect(codeOf('NORMAL_CLEARING')).toBe('16');
  expect(codeOf('ORIGINATOR_CANCEL')).toBe('487');
});

test('no cause at all is an ordinary end once the call was answered', () => {
  expect(causeOf(0, { answered: true })).toBe('NORMAL_CLEARING');
  expect(causeOf(0, { answered: false })).toBe('NORMAL_UNSPECIFIED');
});

test('an unknown number is unspecified', () => {
  expect(causeOf(99, { answered: true })).toBe('NORMAL_UNSPECIFIED');
});

test('a switch is told Q.850 numbers only', () => {
  expect(q850Of('NO_ANSWER')).toBe(19);
  expect(q850Of('ALLOTTED_TIMEOUT')).toBe(16);
});

test('names of causes are recognized', () => {
  expect(isHangupCause('USER_BUSY')).toBe(true);
  expect(isHangupCause('toString')).toBe(false);
});
