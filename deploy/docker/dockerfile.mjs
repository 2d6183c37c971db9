// Runs a Dockerfile in plain folders, one for each stage, so that it can be checked where no base image can be pulled.
// Base images are treated as empty, and their programs are those of this machine; RUN lines must name nothing outside of the WORKDIR.
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { listContext } from './dockerignore.mjs';

const execute = promisify(execFile);

/** Instructions in order, continued lines joined, comments left out. */
export function readInstructions(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => /^(\w+)\s+(.*)$/.exec(line.trim()))
    .filter(Boolean)
    .map(([, keyword, rest]) => ({ keyword, rest: rest.trim() }));
}

/** Stages by name, or by number where they have none. */
function readStages(file) {
  const stages = new Map();
  let current;
  for (const { keyword, rest } of readInstructions(file)) {
    if (keyword === 'FROM') {
      const [base, , name = String(stages.size)] = rest.split(/\s+/);
      current = { name, base, instructions: [] };
      stages.set(name, current);
    } else current?.instructions.push({ keyword, rest });
  }
  return stages;
}

/** `context` is the folder that COPY reads, `work` an empty one. A stage that two images share is done once. */
export function createBuilder({ file, context, work, environment, say }) {
  const stages = readStages(file);
  const files = listContext(context);
  const done = new Map();
  let count = 0;

  function stageOf(name) {
    const stage = stages.get(name);
    if (!stage) throw new Error(`${file} has no stage "${name}"`);
    return stage;
  }

  /** The build arguments that the stage declares. */
  const argumentsOf = ({ instructions }, args) =>
    instructions
      .filter(({ keyword }) => keyword === 'ARG')
      .map(({ rest }) => rest.split('='))
      .map(([key, standard = '']) => [key, args[key] ?? standard.replaceAll('"', '')]);

  /** Two stages with the same key have the same result: same name, same arguments, here and where they copy from. */
  function keyOf(name, args) {
    const stage = stageOf(name);
    const copied = stage.instructions.flatMap(({ rest }) => /^--from=(\S+)/.exec(rest)?.[1] ?? []);
    const sources = [...(stages.has(stage.base) ? [stage.base] : []), ...copied];
    return JSON.stringify([name, argumentsOf(stage, args), sources.map((source) => keyOf(source, args))]);
  }

  /** The result of a stage: { root, workdir, env, user, entrypoint }. */
  function build(name, args) {
    const key = keyOf(name, args);
    if (!done.has(key)) {
      const given = Object.fromEntries(argumentsOf(stageOf(name), args));
      done.set(key, perform(stageOf(name), given, args, join(work, String((count += 1)))));
    }
    return done.get(key);
  }

  async function perform(stage, given, args, root) {
    const state = { root, workdir: '/', env: {}, user: 'root', entrypoint: [] };
    if (stages.has(stage.base)) {
      const base = await build(stage.base, args);
      await copyTree(base.root, root, true);
      Object.assign(state, base, { root, env: { ...base.env } });
    }
    const fill = (text) => text.replaceAll(/\$\{(\w+)\}/g, (_, name) => given[name] ?? state.env[name] ?? '');
    const place = (path) => join(root, posix.resolve(state.workdir, path));
    const startedAt = Date.now();
    const steps = {
      ARG: () => undefined,
      LABEL: () => undefined,
      ENV: (rest) => Object.assign(state.env, Object.fromEntries(rest.split(/\s+/).map((pair) => pair.split('=')))),
      USER: (rest) => (state.user = rest),
      ENTRYPOINT: (rest) => (state.entrypoint = JSON.parse(rest)),
      WORKDIR(rest) {
        state.workdir = posix.resolve(state.workdir, rest);
        mkdirSync(join(root, state.workdir), { recursive: true });
      },
      async COPY(rest) {
        const words = rest.split(/\s+/);
        const from = /^--from=(.+)$/.exec(words[0])?.[1];
        const [target, ...sources] = words.slice(from ? 1 : 0).reverse();
        if (from) {
          const { root: other } = await build(from, args);
          for (const source of sources) await copyTree(join(other, source), place(target), target.endsWith('/'));
        } else for (const source of sources) copyContext(source, place(target));
      },
      async RUN(rest) {
        const env = { ...environment, ...state.env, ...given };
        await execute('sh', ['-c', rest], { cwd: join(root, state.workdir), env, maxBuffer: 2 ** 26 });
      },
    };
    for (const { keyword, rest } of stage.instructions) {
      if (!steps[keyword]) throw new Error(`${file}: ${keyword} is not known here`);
      try {
        await steps[keyword](fill(rest));
      } catch (error) {
        throw new Error(`${keyword} ${rest}\n${error.stdout ?? ''}${error.stderr ?? ''}`, { cause: error });
      }
    }
    const what = [stage.name, given.WORKSPACE].filter(Boolean).join(' of ');
    say(`${what}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    return state;
  }

  /** Copying a folder copies its contents; a file keeps its name when the target is a folder. */
  async function copyTree(source, target, intoFolder) {
    if (!existsSync(source)) throw new Error(`there is no ${source}`);
    if (statSync(source).isDirectory()) {
      mkdirSync(target, { recursive: true });
      await execute('cp', ['-a', `${source}/.`, target]);
    } else {
      mkdirSync(intoFolder ? target : dirname(target), { recursive: true });
      await execute('cp', ['-a', source, target]);
    }
  }

  function copyContext(source, target) {
    const prefix = source === '.' ? '' : `${source}/`;
    const chosen = files.filter((path) => path === source || path.startsWith(prefix));
    if (chosen.length === 0) throw new Error(`nothing in the context is ${source}`);
    for (const path of chosen) {
      const to = path === source ? join(target, basename(path)) : join(target, path.slice(prefix.length));
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(join(context, path), to);
    }
  }

  return { build };
}
