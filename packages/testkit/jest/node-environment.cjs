// Node's environment for test files, in which a worker compiles a module once. jest by itself compiles every module again for each
// test file that loads it, which took a quarter of the processor time of the integration tests.
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/** By file name. */
const compiled = new Map();

/** As vm.compileFunction(), for what jest asks of it: the function of a module, in the global scope of a test file. */
function compileOnce(source, parameters, { filename, parsingContext }) {
  if (compiled.get(filename)?.source !== source) {
    const opening = `(function (${parameters.join(', ')}) {`;
    // Errors tell the place in the module.
    const script = new vm.Script(`${opening}${source}\n})`, { filename, columnOffset: -opening.length });
    compiled.set(filename, { source, script });
  }
  return compiled.get(filename).script.runInContext(parsingContext);
}

vm.compileFunction = compileOnce;

module.exports = TestEnvironment;
