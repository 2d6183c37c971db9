// One plain line at the very end that a person, and any CI, can read without knowing jest.
module.exports = class ClosingCounts {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    // jest prints its own summary after the reporters; leave with the process so that this line comes last.
    process.once('exit', () => {
      process.stdout.write(
        `${results.numPassedTests} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}\n`,
      );
    });
  }
};
