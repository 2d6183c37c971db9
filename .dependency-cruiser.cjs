/** Import circles over the whole repository, type-only imports included. `npm run lint` runs it. */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Two modules that import each other are one module in two files: move what both need below them.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    // Packages are followed into their sources, so that a circle through two workspaces is found too.
    enhancedResolveOptions: {
      conditionNames: ['source', 'node', 'require', 'import', 'default'],
      exportsFields: ['exports'],
    },
    doNotFollow: {
      path: ['node_modules', 'protos/generated', 'packages/client/src/generated', 'packages/console/src/paraglide'],
    },
    exclude: { path: ['/dist/', '\\.sabia/', '^gateway/console/'] },
    // Counts imports of types, which leave no trace in the compiled code.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.tests.json' },
  },
};
