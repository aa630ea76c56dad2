// The one list of files that steer somebody: agents (instructions, settings, hooks, tools of agent CLIs), and
// those that steer CI and git. A reviewer's copy carries the base's version of what steers agents and of what
// decides how git shows a diff; changes to any of them are evidence. `.git` itself is never part of a commit.

import { coverage } from './globs.ts';

/** Read by an agent CLI that works in the folder, or by the git that shows it the diff. */
export function steersAgents(path: string): boolean {
  const { name, folders, whole } = parts(path);
  if (AGENT_FILES.has(name) || AGENT_NAMES.test(name)) return true;
  // The name itself counts, too: a link of that name leads to a folder of any other.
  if ([...folders, name].some((part) => AGENT_FOLDERS.has(part) || AGENT_NAMES.test(part))) return true;
  return whole === '.github' || agentsAtRoot(whole);
}

/** Files that steer agents, and what runs beside the product: CI, hooks of the project, the integration test. */
export function isInstruction(path: string): boolean {
  const { name, folders, whole } = parts(path);
  if (steersAgents(path) || FILES.has(name) || [...folders, name].some((part) => FOLDERS.has(part))) return true;
  return atRoot(whole);
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
  'claude.md claude.local.md agents.md agents.override.md agent.md agents.local.md gemini.md qwen.md .windsurfrules ' +
    '.clinerules .cursorrules .cursorignore opencode.json opencode.jsonc .mcp.json mcp.json .gitattributes ' +
    '.geminiignore .aiexclude .aiignore .aiderignore .goosehints .gooseignore .goosehints.local .roorules .roomodes ' +
    '.rooignore .crush.json crush.json crush.md crush.local.md .crushignore .qwenignore .codeiumignore .augmentignore ' +
    '.augment-guidelines .kilocodemodes .kilocodeignore .continuerules .continueignore .rules .replit.md replit.md ' +
    'warp.md jules.md copilot-instructions.md codex.md .codexignore amp.md .ampcoderc .voidrules .tabnine_commands ' +
    'firebender.json .openhands_instructions .goosehints.md .claudeignore .clineignore',
);
/** `.aider.conf.yml`, `.roorules-code`, `.clinerules-architect`. */
const AGENT_NAMES = /^\.(?:aider|roorules|clinerules|cursor|windsurf|kilocode|continuerules)/;
/** Everything below, wherever the folder is. */
const AGENT_FOLDERS = words(
  '.claude .codex .gemini .opencode .windsurf .clinerules .agents .agent .mcp .goose .kiro .qwen .roo .crush .junie ' +
    '.augment .amazonq .trae .continue .kilocode .openhands .amp .zencoder .factory .devin .tabnine .pearai .void ' +
    '.idx .warp .jules .aider .cody .sourcegraph .iflow .codebuddy .lingma .superdesign .rovodev .cline .copilot .grok',
);
/** Read only from the top of the repository. */
const agentsAtRoot = coverage([
  '.github/instructions',
  '.github/copilot-instructions.md',
  '.github/prompts',
  '.github/chatmodes',
  '.github/agents',
  '.vscode/mcp.json',
  '.vscode/settings.json',
]);

const FILES = words(
  '.gitmodules .lfsconfig .mailmap lefthook.yml lefthook.yaml lefthook.toml lefthook-local.yml .lefthook.yml ' +
    '.pre-commit-config.yaml jenkinsfile',
);
const FOLDERS = words('.husky .lefthook');
const atRoot = coverage([
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
]);
