// The one list of files that steer somebody: agents (instructions, settings, hooks, tools of agent CLIs), and
// those that steer CI and git. A reviewer's copy carries the base's version of what steers agents and of what
// decides how git shows a diff; changes to any of them are evidence. `.git` itself is never part of a commit.

import { covers } from './scope.ts';

/** Read by an agent CLI that works in the folder, or by the git that shows it the diff. */
export function steersAgents(path: string): boolean {
  const { name, folders, whole } = parts(path);
  if (AGENT_FILES.has(name)) return true;
  // The name itself counts, too: a link of that name leads to a folder of any other.
  if ([...folders, name].some((part) => AGENT_FOLDERS.has(part) || part.startsWith('.cursor'))) return true;
  return whole === '.github' || AGENTS_AT_ROOT.some((place) => covers(place, whole));
}

/** Files that steer agents, and what runs beside the product: CI, hooks of the project, the integration test. */
export function isInstruction(path: string): boolean {
  const { name, folders, whole } = parts(path);
  if (steersAgents(path) || FILES.has(name) || [...folders, name].some((part) => FOLDERS.has(part))) return true;
  return AT_ROOT.some((place) => covers(place, whole));
}

/** Compared in lower case: some file systems read `claude.md` as CLAUDE.md. */
function parts(path: string) {
  const folders = path.toLowerCase().split('/');
  const whole = folders.join('/');
  return { name: folders.pop() ?? '', folders, whole };
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** These names count at any depth. */
const AGENT_FILES = words(
  'claude.md claude.local.md agents.md agents.override.md agent.md gemini.md qwen.md .windsurfrules ' +
    '.clinerules .aider.conf.yml opencode.json opencode.jsonc .mcp.json .gitattributes .geminiignore',
);
/** Everything below, wherever the folder is. */
const AGENT_FOLDERS = words('.claude .codex .gemini .opencode .windsurf .clinerules .agents .mcp');
/** Read only from the top of the repository. */
const AGENTS_AT_ROOT = ['.github/instructions', '.github/copilot-instructions.md', '.github/prompts'];

const FILES = words(
  '.gitmodules .lfsconfig lefthook.yml lefthook.yaml lefthook.toml lefthook-local.yml .lefthook.yml ' +
    '.pre-commit-config.yaml jenkinsfile',
);
const FOLDERS = words('.husky .lefthook');
const AT_ROOT = [
  '.github/workflows',
  '.github/actions',
  '.gitlab-ci.yml',
  '.circleci',
  '.buildkite',
  '.travis.yml',
  '.drone.yml',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'scripts/integration-test.sh',
];
