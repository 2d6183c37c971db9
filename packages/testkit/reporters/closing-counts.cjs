// Prints one plain line at the very end, which people and CI systems can read without knowing jest.
module.exports = class ClosingCounts {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    // jest prints its own summary after the reporters; printing at exit makes this line the last one.
    process.once('exit', () => {
      process.stdout.write(
        `${results.numPassedTests} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}\n`,
      );
    });
  }
};
