module.exports = async function stopServersOfRun() {
  await globalThis.stopTestServers?.();
};
