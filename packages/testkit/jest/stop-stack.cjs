module.exports = async function stopStackOfRun() {
  await globalThis.stopTestStack?.();
};
