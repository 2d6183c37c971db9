// On Ctrl-C jest exits without calling any teardown, and no asynchronous work is possible any more.
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

/** Calls back, synchronously, if jest exits before the returned function was called. */
module.exports = function onLeaving(callback) {
  const leave = (signal) => process.exit(128 + SIGNALS[signal]);
  process.once('exit', callback);
  for (const signal of Object.keys(SIGNALS)) process.once(signal, leave);
  return () => {
    process.off('exit', callback);
    for (const signal of Object.keys(SIGNALS)) process.off(signal, leave);
  };
};
