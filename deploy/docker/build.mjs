// npm run images: builds every image with docker, podman or buildah, whichever is there.
import { execFileSync, spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { defaultRegistry, defaultTag, images, root } from './images.mjs';

const usage = `npm run images -- [name …] [options]
  name …              only these: ${images.map(({ name }) => name).join(', ')}
  --registry PREFIX   ${defaultRegistry}
  --tag TAG           ${defaultTag}
  --platform LIST     such as linux/amd64,linux/arm64
  --push              to the registry, after all have been built
  --tool NAME         docker, podman or buildah
  --build-arg K=V     such as NODE_IMAGE=…; may be given again`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    registry: { type: 'string', default: defaultRegistry },
    tag: { type: 'string', default: defaultTag },
    platform: { type: 'string' },
    push: { type: 'boolean', default: false },
    tool: { type: 'string' },
    'build-arg': { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** A docker without its daemon builds nothing. */
function findTool() {
  const works = { docker: ['version'], podman: ['info'], buildah: ['version'] };
  const candidates = values.tool ? [values.tool] : Object.keys(works);
  return candidates.find((tool) => works[tool] && spawnSync(tool, works[tool], { stdio: 'ignore' }).status === 0);
}

function run(command, args) {
  process.stdout.write(`${command} ${args.join(' ')}\n`);
  // Buildah reuses layers only when told to, and the six images of Node share most of theirs.
  const env = { BUILDAH_LAYERS: 'true', ...process.env };
  if (spawnSync(command, args, { cwd: root, stdio: 'inherit', env }).status !== 0) fail(`${command} failed; see above`);
}

function revision() {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}

if (values.help) {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
const unknown = positionals.filter((wanted) => !images.some(({ name }) => name === wanted));
if (unknown.length > 0) fail(`There is no image "${unknown[0]}".\n${usage}`);
const tool = findTool();
if (!tool) fail('Neither docker (with its daemon), podman nor buildah is here: install one of them.');

const chosen = images.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const referenceOf = ({ name }) => `${values.registry}/${name}:${values.tag}`;
const severalPlatforms = values.platform?.includes(',');
for (const image of chosen) {
  const settings = [
    ...(image.workspace ? [`WORKSPACE=${image.workspace}`] : []),
    ...[`VERSION=${values.tag}`, `REVISION=${revision()}`, ...values['build-arg']],
  ].flatMap((setting) => ['--build-arg', setting]);
  const platform = values.platform ? ['--platform', values.platform] : [];
  // Several platforms make a list of images: docker keeps none of its own, podman and buildah keep it under a name.
  const docker = severalPlatforms && tool === 'docker';
  const name = severalPlatforms && !docker ? ['--manifest', referenceOf(image)] : ['--tag', referenceOf(image)];
  const command = docker ? ['buildx', 'build', ...(values.push ? ['--push'] : [])] : ['build'];
  run(tool, [...command, '--file', image.dockerfile, ...name, ...platform, ...settings, '.']);
}
if (values.push && !(severalPlatforms && tool === 'docker'))
  for (const image of chosen)
    run(tool, severalPlatforms ? ['manifest', 'push', '--all', referenceOf(image)] : ['push', referenceOf(image)]);
