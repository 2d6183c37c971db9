/**
 * The Content-Security-Policy allows no code that is made from texts. A library in Scalar tries whether it may, and does without if not;
 * refused here, the attempt is no violation that browsers report.
 */
export function refuseCodeFromTexts(): void {
  const refuse = (): never => {
    throw new EvalError('code from texts is not allowed');
  };
  globalThis.Function = new Proxy(Function, { construct: refuse, apply: refuse });
}
